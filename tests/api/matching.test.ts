// "Select all matching" of API keys, codes and accounts: what is selected is found by the filters of the list.
import { expect, test } from "vitest";
import { redemptions, tokens } from "@/db/schema";
import { consoleDatabase } from "@/lib/console-database";
import type { ServiceContext } from "@/lib/context";
import { sha256Hex } from "@/lib/crypto";
import { MATCHING_MAX } from "@/lib/matching-max";
import { listRedemptionIds } from "@/lib/redemption/queries";
import { listTokenIds } from "@/lib/token/queries";
import { listChangeableUsers } from "@/lib/user/queries";
import { createPerson, type Person, setUpApi } from "./harness";

const api = setUpApi();
const ctxOf = (person: Person, role: number): ServiceContext => ({
  db: consoleDatabase().db,
  sql: consoleDatabase().sql,
  actor: { type: "user", id: person.id, username: person.username, role, group: "default", via: "session" },
  clientIp: "",
});

async function addTokens(owner: Person, names: readonly string[]): Promise<void> {
  await api.database.db.insert(tokens).values(
    names.map((name) => ({
      userId: owner.id,
      name,
      keyHash: sha256Hex(`${owner.id} ${name}`),
      keyCipher: "",
      keyHint: "abcd…wxyz",
      status: name.startsWith("off") ? 2 : 1,
      unlimitedQuota: true,
    })),
  );
}

test("a user's own API keys that match, in the order of the list, and nobody else's", async () => {
  await addTokens(api.alice, ["a-1", "a-2", "off-a-3", "b-1"]);
  await addTokens(api.bob, ["a-4"]);
  const ctx = ctxOf(api.alice, 1);
  const found = await listTokenIds(ctx, { keyword: "a-", sort: "name", descending: false });
  const rows = await api.database.db.select({ id: tokens.id, name: tokens.name }).from(tokens);
  const nameOf = new Map(rows.map(({ id, name }) => [id, name]));
  expect(found.map((id) => nameOf.get(id))).toEqual(["a-1", "a-2", "off-a-3"]);
  expect(await listTokenIds(ctx, { keyword: "a-", status: 2 })).toHaveLength(1);
  await expect(listTokenIds({ ...ctx, actor: { type: "anonymous" } })).rejects.toMatchObject({
    code: "unauthenticated",
  });
});

test("no more codes at once than a change takes, for administrators alone", async () => {
  const values = Array.from({ length: MATCHING_MAX + 1 }, (_, at) => ({
    userId: api.admin.id,
    key: `many-${at}`,
    name: "many",
    quota: 1,
  }));
  await api.database.db.insert(redemptions).values(values);
  expect(await listRedemptionIds(ctxOf(api.admin, 10), { keyword: "many" })).toHaveLength(MATCHING_MAX);
  expect(await listRedemptionIds(ctxOf(api.admin, 10), { keyword: "none" })).toEqual([]);
  await expect(listRedemptionIds(ctxOf(api.alice, 1))).rejects.toMatchObject({ code: "forbidden" });
});

test("accounts that the administrator may change, without equals, superiors and those that are gone", async () => {
  const other = await createPerson(api.database, "equal", 10);
  const gone = await createPerson(api.database, "gone", 1);
  await api.database.sql`update users set deleted_at = now() where id = ${gone.id}`;
  const names = async (as: Person, role: number) =>
    (await listChangeableUsers(ctxOf(as, role), { sort: "username", descending: false })).map((user) => user.username);
  expect(await names(api.admin, 10)).toEqual(["alice", "bob"]);
  expect(await names(api.root, 100)).toEqual(["admin", "alice", "bob", other.username, "root"]);
  await expect(names(api.alice, 1)).rejects.toMatchObject({ code: "forbidden" });
});
