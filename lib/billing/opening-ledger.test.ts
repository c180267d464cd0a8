import { afterAll, beforeAll, expect, test } from "vitest";
import { rollUpUsage } from "@/lib/statistics/rollup-commands";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { dateCharges, type OpenedAccount, openAccounts, openKeys } from "./opening-ledger";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const account = (id: number): OpenedAccount => ({
  id,
  quota: 1_000,
  usedQuota: 500,
  requestCount: 5,
  columns: { username: `opened${id}`, password_hash: "", display_name: "" },
  reference: `test:${id}`,
});
const key = (id: number, userId: number) => ({
  id,
  userId,
  usedQuota: 200,
  remainQuota: 0,
  columns: { key_hash: `hash ${id}`, key_cipher: "", key_hint: "", name: "opened" },
});
const at = Math.floor(Date.now() / 1_000) - 10 * 86_400;
const charge = {
  at,
  userId: 11,
  tokenId: 21,
  channelId: 0,
  model: "m",
  group: "default",
  quota: 40,
  promptTokens: 1,
  completionTokens: 2,
};

const sums = () => database.sql`
  select hour, user_id, model_name, "group", sum(count)::bigint as count, sum(quota)::bigint as quota from usage_hourly
  group by 1, 2, 3, 4 order by 1, 2, 3, 4`;
const summed = () => database.sql`
  select hour, user_id, model_name, "group", count, quota from usage_user_hours order by 1, 2, 3, 4`;
const ofAll = (table: "usage_hourly" | "usage_model_hours") => database.sql`
  select hour, sum(count)::bigint as count, sum(quota)::bigint as quota from ${database.sql(table)} group by 1 order by 1`;

test("a worker that sums between the batches of an import leaves no sum out of date", async () => {
  const batches = [
    () => openAccounts(database.db, [account(11)]),
    () => openAccounts(database.db, [account(12)]),
    () => openKeys(database.db, [key(21, 11)]),
    () => openKeys(database.db, [key(22, 11), key(23, 12)]),
    () => dateCharges(database.db, [charge]),
    () => dateCharges(database.db, [{ ...charge, at: at + 7_200 }]),
  ];
  for (const batch of batches) {
    await batch();
    while ((await rollUpUsage(database.sql)) > 0);
    expect([...(await summed())]).toEqual([...(await sums())]);
    expect([...(await ofAll("usage_model_hours"))]).toEqual([...(await ofAll("usage_hourly"))]);
  }
});
