// What keeps a flush cheap for PostgreSQL (tools/bench/README.md, PostgreSQL's share): what no test of the results would notice.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDatabase } from "@/db/client";
import { createBilledChannel, createBilledToken, createBilledUser, settlementOf } from "@/lib/testing/billing";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { bookSettlements } from "./settlement-batch";
import { encodeSettlement } from "./settlement-row";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test("charges change rows in place and write no index of balances and hourly sums", async () => {
  const people = await Promise.all(
    [1, 2, 3].map(async () => {
      const userId = await createBilledUser(database, 1_000_000);
      return { userId, tokenId: await createBilledToken(database, userId, null) };
    }),
  );
  const channelId = await createBilledChannel(database);
  // On one connection, which reports what it changed when it is asked to.
  const { sql, end } = createDatabase({ url: database.url, max: 1, applicationName: "weir-test" });
  const flushes = 60;
  for (let flush = 0; flush < flushes; flush++) {
    const rows = people.map((person) => encodeSettlement(settlementOf({ ...person, channelId, quota: 5 })));
    await bookSettlements(sql, null, rows);
  }
  await sql`select pg_stat_force_next_flush()`;
  const changed = await sql<{ table: string; updates: number; inPlace: number }[]>`
    select relname as table, n_tup_upd::int as updates, n_tup_hot_upd::int as "inPlace" from pg_stat_user_tables
    where relname in ('users', 'tokens', 'channels', 'usage_hourly') order by 1`;
  await end();
  expect(changed.map(({ table }) => table)).toEqual(["channels", "tokens", "usage_hourly", "users"]);
  for (const { table, updates, inPlace } of changed) {
    // The hour may end during the test: then the first row of the next one is inserted.
    expect(updates, table).toBeGreaterThanOrEqual(flushes - 2);
    // A row moves to another page when its own is full of versions that nobody has cleared yet.
    expect(inPlace / updates, table).toBeGreaterThan(0.9);
  }
});

test("no condition of a trigger is parsed for a charge: each lists the columns that it looks at", async () => {
  const triggers = await database.sql<{ name: string; listed: string[]; condition: string }[]>`
    select tgname as name, pg_get_triggerdef(pg_trigger.oid) as condition,
      array(select attname::text from pg_attribute where attrelid = tgrelid and attnum = any(tgattr)) as listed
    from pg_trigger
    where tgqual is not null and tgrelid = any(array['users', 'tokens', 'channels', 'usage_hourly', 'leases']::regclass[])`;
  expect(triggers.length).toBeGreaterThan(8);
  const charged = ["quota", "used_quota", "request_count", "reserved", "remain_quota", "accessed_time"];
  for (const { name, listed, condition } of triggers) {
    const looksAt = [...condition.matchAll(/new\."?(\w+)"?/g)].map(([, column]) => column);
    expect([...new Set(looksAt)].sort(), name).toEqual([...listed].sort());
    expect(
      listed.filter((column) => charged.includes(column)),
      name,
    ).toEqual([]);
  }
});
