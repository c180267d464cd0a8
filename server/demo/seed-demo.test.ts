import { afterAll, beforeAll, expect, test } from "vitest";
import { reconcile } from "@/lib/billing/reconcile";
import { readComparableHours, reconcileHours } from "@/lib/billing/reconcile-hours";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { ensureRoot } from "../bootstrap";
import { type DemoAccess, seedDemo } from "./seed-demo";

let database: TestDatabase;
let access: DemoAccess;
beforeAll(async () => {
  database = await createTestDatabase();
  await ensureRoot(database.url, "root-password");
  access = await seedDemo(database.url, "http://127.0.0.1:1", "demo-password");
});
afterAll(() => database.drop());

test("the sample data adds up: reconcile finds nothing", async () => {
  const { differences } = await reconcile(database.sql);
  expect(differences).toEqual([]);
  const hours = await reconcileHours(database.sql, [await readComparableHours(database.sql)]);
  expect(hours.differences).toEqual([]);
  expect(hours.checked["usage_logs.quota"]).toBeGreaterThan(0);
});

test("every balance is positive and every charge is more than nothing", async () => {
  expect(await database.sql`select username from users where quota <= 0`).toEqual([]);
  expect(await database.sql`select id from usage_logs where quota <= 0 and type = 2`).toEqual([]);
  const rows = await database.sql`select id from tokens where not unlimited_quota and remain_quota <= 0`;
  expect(rows).toEqual([]);
});

test("every request costs what its channel says: 0.6 of the list price, rounded", async () => {
  const rows = await database.sql`
    select id from usage_logs where type = 2 and "group" = 'default' and abs(cost - quota * 0.6) > 1`;
  expect(rows).toEqual([]);
});

test("every list has something to show: 30 days, every role and group", async () => {
  const [row] = await database.sql`
    select count(*)::int as logs, count(distinct created_at / 86400)::int as days from usage_logs`;
  expect(row?.logs).toBeGreaterThan(1_000);
  expect(row?.days).toBeGreaterThanOrEqual(30);
  expect(await database.sql`select distinct role from users order by 1`).toEqual([
    { role: 1 },
    { role: 10 },
    { role: 100 },
  ]);
});

test("a second start changes nothing but where the built-in upstream listens", async () => {
  const [before] = await database.sql`select count(*)::int as logs from usage_logs`;
  const again = await seedDemo(database.url, "http://127.0.0.1:2", "demo-password");
  expect(again).toEqual(access);
  expect(await database.sql`select count(*)::int as logs from usage_logs`).toEqual([before]);
  expect(await database.sql`select distinct base_url from channels where tag = 'built-in'`).toEqual([
    { base_url: "http://127.0.0.1:2" },
  ]);
});
