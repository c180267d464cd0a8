/**
 * Who: the holder of an API key with a limit, or nobody in particular: a form or a script that was opened before the key
 * was used. With what: a change of the token that sends back the remaining quota as it was read earlier. What must hold:
 * what requests have used is never given back; a new limit is a difference to what the client saw.
 */
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import * as tokenApi from "@/app/api/token/[[...path]]/route";
import { tokens } from "@/db/schema";
import { reconcile } from "@/lib/billing/reconcile";
import { settlementOf, startBillingProcess } from "@/lib/testing/billing";
import { call, setUpApi } from "../api/harness";

const api = setUpApi();
const LIMIT = 1_000;
const SPENT = 400;
let token: Record<string, unknown> & { id: number };

const put = async (body: object) => (await call(tokenApi, "PUT /api/token/", { as: api.alice, body })).json;

async function spend(quota: number): Promise<void> {
  const gateway = await startBillingProcess(api.database.url);
  await gateway.settler.settle(settlementOf({ userId: api.alice.id, tokenId: token.id, quota }));
  await gateway.stop();
}

async function readRow() {
  const [row] = await api.database.db.select().from(tokens).where(eq(tokens.id, token.id));
  return { remain: row?.remainQuota, used: row?.usedQuota, unlimited: row?.unlimitedQuota };
}

beforeEach(async () => {
  const created = await call(tokenApi, "POST /api/token/", {
    as: api.alice,
    body: { name: "limited", remain_quota: LIMIT },
  });
  token = created.json.data;
});

describe("a limit read before requests were charged", () => {
  test("sent back in a whole row it does not return what was used", async () => {
    await spend(SPENT);
    const { data } = await put({ ...token, name: "renamed" });
    expect(data).toMatchObject({ name: "renamed", remain_quota: LIMIT - SPENT, used_quota: SPENT });
  });

  test("raised in a whole row adds the raise only", async () => {
    await spend(SPENT);
    const { data } = await put({ ...token, remain_quota: LIMIT + 500 });
    expect(data.remain_quota).toBe(LIMIT - SPENT + 500);
  });

  test("raised by a client that says what it saw adds the difference, lowered it takes it away", async () => {
    await spend(SPENT);
    const raised = await put({ id: token.id, remain_quota: LIMIT + 500, seen_remain_quota: LIMIT });
    expect(raised.data.remain_quota).toBe(LIMIT - SPENT + 500);
    const lowered = await put({ id: token.id, remain_quota: LIMIT - 300, seen_remain_quota: LIMIT });
    expect(lowered.data.remain_quota).toBe(LIMIT - SPENT + 500 - 300);
  });

  test("fifty saves of an old form while requests are charged give nothing back", async () => {
    const gateway = await startBillingProcess(api.database.url);
    const charges = Array.from({ length: 50 }, () =>
      gateway.settler.settle(settlementOf({ userId: api.alice.id, tokenId: token.id, quota: 10 })),
    );
    const saves = Array.from({ length: 50 }, () => put(token));
    await Promise.all([...charges, ...saves]);
    await gateway.stop();
    expect(await readRow()).toEqual({ remain: LIMIT - 500, used: 500, unlimited: false });
  });
});

test("a lowered limit below what was used since leaves the token used up, and a rename of it still works", async () => {
  await spend(SPENT);
  const { data } = await put({ id: token.id, remain_quota: 100, seen_remain_quota: LIMIT });
  expect(data).toMatchObject({ remain_quota: 100 - SPENT, status: 4 });
  expect((await put({ ...data, name: "still mine" })).data).toMatchObject({ name: "still mine", remain_quota: -300 });
  expect((await put({ id: token.id, remain_quota: -1 })).success).toBe(false);
});

test("no statement can write the remaining quota alone, however it is reached", async () => {
  const { sql } = api.database;
  await expect(sql`update tokens set remain_quota = remain_quota + 1 where id = ${token.id}`).rejects.toThrow(
    /tokens_remain_is_granted_less_used/,
  );
});

test("what was used without a limit counts in no limit, in either direction, and the books agree", async () => {
  await put({ id: token.id, unlimited_quota: true });
  await spend(SPENT);
  expect((await put({ id: token.id, unlimited_quota: false })).data).toMatchObject({ remain_quota: LIMIT });
  await spend(SPENT);
  expect(await readRow()).toEqual({ remain: LIMIT - SPENT, used: 2 * SPENT, unlimited: false });
});

test("reconcile finds a token whose limit does not add up", async () => {
  const { sql } = api.database;
  await sql`alter table tokens drop constraint tokens_remain_is_granted_less_used`;
  await sql`update tokens set remain_quota = remain_quota + 7 where id = ${token.id}`;
  const { differences } = await reconcile(sql);
  expect(differences).toContainEqual({ check: "tokens.remain_quota", id: token.id, stored: 1_007, computed: 1_000 });
});
