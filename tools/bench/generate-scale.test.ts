import { afterAll, beforeAll, expect, test } from "vitest";
import { reconcile } from "@/lib/billing/reconcile";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { generateScale } from "./generate-scale";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const small = {
  channels: 400,
  users: 50,
  tokens: 80,
  redemptions: 30,
  logs: 2_000,
  days: 10,
  operations: 40,
  audits: 40,
};

test("the made-up operator has the size asked for and books that reconcile", async () => {
  await generateScale(database.url, small);
  const [counted] = await database.sql`
    select (select count(*)::int from channels) as channels, (select count(*)::int from users) as users,
      (select count(*)::int from tokens) as tokens, (select count(*)::int from redemptions) as redemptions,
      (select count(*)::int from usage_logs) as logs`;
  const { days: _days, operations: _operations, audits: _audits, ...sizes } = small;
  expect(counted).toEqual(sizes);
  const [spread] = await database.sql`select max(created_at) - min(created_at) as seconds from usage_logs`;
  expect(spread?.seconds).toBeGreaterThan((small.days - 1) * 86_400);
  expect((await reconcile(database.sql)).differences).toEqual([]);
}, 120_000);

test("a database that is in use is left alone", async () => {
  await expect(generateScale(database.url, small)).rejects.toThrow("already has usage logs");
});
