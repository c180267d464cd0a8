import { afterAll, beforeAll, expect, test } from "vitest";
import { rollUpUsage } from "@/lib/statistics/rollup-commands";
import { hoursOfUser, readSummed } from "@/lib/statistics/sums-queries";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { until } from "@/lib/testing/until";
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
const DAY = 86_400;
const daysBy = (table: "usage_hourly" | "usage_channel_model_spans") => {
  const { sql } = database;
  const rows =
    table === "usage_hourly"
      ? sql`select hour as at, * from usage_hourly`
      : sql`
    select start as at, * from usage_channel_model_spans where hours = 24`;
  return sql`
    select at - at % ${DAY} as day, channel_id, model_name, sum(count)::bigint as count, sum(quota)::bigint as quota
    from (${rows}) parts group by 1, 2, 3 order by 1, 2, 3`;
};

const sumAll = async () => {
  while ((await rollUpUsage(database.sql)) > 0);
};
const expectSummed = async () => {
  expect([...(await summed())]).toEqual([...(await sums())]);
  expect([...(await ofAll("usage_model_hours"))]).toEqual([...(await ofAll("usage_hourly"))]);
  expect([...(await daysBy("usage_channel_model_spans"))]).toEqual([...(await daysBy("usage_hourly"))]);
};

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
    await sumAll();
    await expectSummed();
  }
});

test("a worker that is about to pass the hour waits for a batch that is not committed", async () => {
  const { db, sql } = database;
  await openAccounts(db, [account(31)]);
  let worker: Promise<void> | undefined;
  await db.transaction(async (tx) => {
    await openAccounts(tx, [account(32)]);
    worker = sumAll();
    const isWaiting = async () => {
      const [row] = await sql<{ waiting: number }[]>`
        select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      return row?.waiting === 1;
    };
    await Promise.race([worker, until(isWaiting)]);
  });
  await worker;
  await sumAll();
  await expectSummed();
});

test("requests of the log that the account did not count are taken back everywhere", async () => {
  const { db, sql } = database;
  await openAccounts(db, [{ ...account(41), usedQuota: 200, requestCount: 3 }]);
  await openKeys(db, [key(51, 41)]);
  await dateCharges(
    db,
    [1, 2, 3, 4, 5].map((n) => ({ ...charge, userId: 41, tokenId: 51, at: at + n })),
  );
  const counted = async () => {
    const [row] = await sql`
      select sum(count)::int as count, sum(quota)::int as quota
      from (${hoursOfUser(sql, 41, 0, at + 86_400, await readSummed(sql))}) hours`;
    return row;
  };
  expect(await counted()).toEqual({ count: 3, quota: 200 });
  await sumAll();
  expect(await counted()).toEqual({ count: 3, quota: 200 });
});
