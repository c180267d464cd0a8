/**
 * Who: somebody who changes an amount, does not get the answer, and presses the button again; and a client that lies about the amount
 * that it saw. What must hold: a change of a balance or of a key's limit is made once, and never leads beyond what the field takes.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { users } from "@/db/schema";
import type { ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { createRedemptions } from "@/lib/redemption/commands";
import { listRedemptions } from "@/lib/redemption/queries";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { createToken, updateToken } from "@/lib/token/commands";
import { getToken } from "@/lib/token/queries";
import { updateUser } from "@/lib/user/commands";
import { getUser } from "@/lib/user/queries";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

let serial = 0;
async function makeUser(): Promise<number> {
  serial += 1;
  const values = { username: `u${serial}`, displayName: "Before", quota: 10_000 };
  const [row] = await database.db.insert(users).values(values).returning({ id: users.id });
  return row?.id ?? 0;
}

const as = (id: number, role: number): ServiceContext => ({
  ...database,
  actor: { type: "user", id, username: `u${id}`, role, group: "default", via: "access-token" },
  clientIp: "",
});
const asRoot = () => as(1_000_000, 100);

async function refusal(work: Promise<unknown>): Promise<AppError> {
  const error = await work.then(
    () => null,
    (thrown) => thrown,
  );
  if (!(error instanceof AppError)) throw error ?? new Error("was saved");
  return error;
}

test("a change of a balance that is sent again, because its answer was lost, is made once (B326)", async () => {
  const id = await makeUser();
  const change = { id, quota: 10_500, seen: { quota: 10_000 }, changeId: `change-${id}` };
  await updateUser(asRoot(), change);
  await updateUser(asRoot(), { ...change, displayName: "Again" });
  expect(await getUser(asRoot(), id)).toMatchObject({ quota: 10_500, displayName: "Again" });
  const error = await refusal(updateUser(asRoot(), { ...change, quota: 10_900 }));
  expect(error).toMatchObject({ code: "conflict", messageKey: "amountSavedBefore", params: { field: "quota" } });
});

test("a change of a key's limit that is sent again, because its answer was lost, is made once (B326)", async () => {
  const own = as(await makeUser(), 1);
  const { token } = await createToken(own, { name: "before", remainQuota: 5_000 });
  const change = { id: token.id, remainQuota: 5_500, seen: { remainQuota: 5_000 }, changeId: "one" };
  // The same press twice, and once more after something was spent.
  await Promise.all([updateToken(own, change), updateToken(own, change)]);
  await database.sql`update tokens set remain_quota = remain_quota - 300, used_quota = used_quota + 300 where id = ${token.id}`;
  await updateToken(own, { ...change, name: "again" });
  expect(await getToken(own, token.id)).toMatchObject({ remainQuota: 5_200, name: "again" });
  const error = await refusal(updateToken(own, { ...change, remainQuota: 5_900, name: "never" }));
  expect(error).toMatchObject({ code: "conflict", messageKey: "amountSavedBefore", params: { field: "remainQuota" } });
  expect(await getToken(own, token.id)).toMatchObject({ remainQuota: 5_200, name: "again" });
  // Another form of the same amount, and the same name at another key, are changes of their own.
  await updateToken(own, { ...change, changeId: "two" });
  const { token: other } = await createToken(own, { name: "other", remainQuota: 5_000 });
  await updateToken(own, { ...change, id: other.id });
  expect((await getToken(own, token.id)).remainQuota).toBe(5_700);
  expect((await getToken(own, other.id)).remainQuota).toBe(5_500);
});

test("codes whose answer was lost are not made again (B326)", async () => {
  const order = { name: "gift", quota: 500_000, count: 3, changeId: "one" };
  expect(await createRedemptions(asRoot(), order)).toHaveLength(3);
  for (const again of [order, { ...order, count: 5 }]) {
    const error = await refusal(createRedemptions(asRoot(), again));
    expect(error).toMatchObject({ code: "conflict", messageKey: "redemptionsMadeBefore" });
  }
  expect((await listRedemptions(asRoot())).total).toBe(3);
  expect(await createRedemptions(asRoot(), { ...order, changeId: "two" })).toHaveLength(3);
});

test("an amount that was never shown makes no limit or balance beyond what a field takes", async () => {
  const id = await makeUser();
  const own = as(id, 1);
  const { token } = await createToken(own, { name: "before", remainQuota: 5_000 });
  const most = 1_000_000_000_000_000;
  for (const [wanted, seen] of [
    [most, -most],
    [0, Number.MAX_SAFE_INTEGER],
    [most, Number.MIN_SAFE_INTEGER],
  ] as const) {
    const ofKey = await refusal(updateToken(own, { id: token.id, remainQuota: wanted, seen: { remainQuota: seen } }));
    expect(ofKey).toMatchObject({ code: "invalid", params: { field: "remainQuota" } });
    const ofUser = await refusal(updateUser(asRoot(), { id, quota: wanted, seen: { quota: seen } }));
    expect(ofUser).toMatchObject({ code: "invalid", params: { field: "quota" } });
  }
  expect((await getToken(own, token.id)).remainQuota).toBe(5_000);
  expect((await getUser(asRoot(), id)).quota).toBe(10_000);
});
