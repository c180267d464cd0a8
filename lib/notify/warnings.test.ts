import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { tokens, users } from "@/db/schema";
import { budgetPeriods } from "@/lib/limit/budget-periods";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { rewriteBooks } from "@/lib/testing/rewrite-books";
import { warnOfBudgets } from "./budget-warning-commands";
import { warnOfExpiry } from "./key-expiry-commands";
import { getPreferences } from "./queries";
import { savePreferences } from "./target-commands";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const DAY = 86_400;
const NOW = Date.parse("2026-11-25T12:10:00Z") / 1_000;
const HOUR_START = NOW - 600;

beforeEach(async () => {
  await rewriteBooks(
    database.sql,
    "truncate users, tokens, usage_hourly, budget_periods, notifications restart identity cascade",
  );
});

async function userWith(values: Partial<typeof users.$inferInsert>): Promise<number> {
  const [row] = await database.db
    .insert(users)
    .values({ username: `u${Math.random()}`, ...values })
    .returning({ id: users.id });
  return row?.id ?? 0;
}

async function keyWith(userId: number, values: Partial<typeof tokens.$inferInsert>): Promise<number> {
  const [row] = await database.db
    .insert(tokens)
    .values({ userId, name: "laptop", keyHash: `h${Math.random()}`, keyCipher: "", keyHint: "", ...values })
    .returning({ id: tokens.id });
  return row?.id ?? 0;
}

const spend = (userId: number, tokenId: number, quota: number) =>
  database.sql`insert into usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", count, quota)
    values (${HOUR_START}, ${userId}, ${tokenId}, 1, 'm', 'default', 1, ${quota})
    on conflict (hour, user_id, token_id, channel_id, model_name, "group") do update
    set quota = usage_hourly.quota + excluded.quota`;
const told = () =>
  database.sql<
    { event: string; params: Record<string, unknown> }[]
  >`select event, params from notifications order by id`;

test("the owner of a budget is warned once for each step and period, of the account and of a key", async () => {
  const id = await userWith({ budgetDay: 1_000 });
  const key = await keyWith(id, { budgetMonth: 2_000 });
  await spend(id, key, 799);
  expect(await warnOfBudgets(database.sql, NOW)).toBe(0);
  await spend(id, key, 1);
  const both = await Promise.all([warnOfBudgets(database.sql, NOW), warnOfBudgets(database.sql, NOW)]);
  expect(both[0] + both[1]).toBe(1);
  const { day } = budgetPeriods(NOW, "UTC");
  expect(await told()).toEqual([
    {
      event: "budget_reached",
      params: { subject: "account:", period: "day", percent: 80, spent: 800, limit: 1_000, resetsAt: day.end },
    },
  ]);
  await spend(id, key, 1_150);
  expect(await warnOfBudgets(database.sql, NOW)).toBe(2);
  expect((await told()).slice(1).map(({ params }) => [params.subject, params.percent])).toEqual([
    ["account:", 195],
    ["key:laptop", 97],
  ]);
  expect(await warnOfBudgets(database.sql, NOW + 60)).toBe(0);
});

test("the steps are the owner's choice, and only percentages are taken", async () => {
  const id = await userWith({ budgetDay: 100 });
  const actor = { type: "user", id, username: "u", role: 1, group: "default", via: "session" } as const;
  const ctx = { db: database.db, sql: database.sql, clientIp: "::1", actor };
  const rest = { language: "en", threshold: null } as const;
  expect((await getPreferences(ctx)).budgetWarnings).toEqual([80, 95]);
  for (const budgetWarnings of [[0], [101], [1.5], [Number.NaN], [1, 2, 3, 4, 5, 6]]) {
    await expect(savePreferences(ctx, { ...rest, budgetWarnings })).rejects.toMatchObject({ code: "invalid" });
  }
  await savePreferences(ctx, { ...rest, budgetWarnings: [90, 50] });
  await savePreferences(ctx, rest);
  expect((await getPreferences(ctx)).budgetWarnings).toEqual([50, 90]);
});

test("a new period is warned about anew, and who wants other steps or none gets those", async () => {
  const id = await userWith({ budgetDay: 100, setting: { budget_warnings: [50] } });
  await userWith({ budgetDay: 100 });
  const silent = await userWith({ budgetDay: 100, setting: { budget_warnings: [] } });
  await spend(id, 0, 60);
  await spend(silent, 0, 99);
  expect(await warnOfBudgets(database.sql, NOW)).toBe(1);
  await database.sql`update usage_hourly set hour = hour + ${DAY}`;
  expect(await warnOfBudgets(database.sql, NOW + DAY)).toBe(1);
});

test("keys that expire are announced a week and a day before, once each, to their owner", async () => {
  const id = await userWith({});
  const soon = { createdTime: NOW - 60 * DAY };
  await keyWith(id, { ...soon, name: "week", expiredTime: NOW + 6 * DAY });
  await keyWith(id, { ...soon, name: "day", expiredTime: NOW + 3_600 });
  await keyWith(id, { ...soon, name: "later", expiredTime: NOW + 8 * DAY });
  await keyWith(id, { ...soon, name: "past", expiredTime: NOW - 1 });
  await keyWith(id, { ...soon, name: "off", expiredTime: NOW + DAY, status: 2 });
  await keyWith(id, { name: "made for a day", createdTime: NOW, expiredTime: NOW + DAY });
  expect(await warnOfExpiry(database.sql, NOW)).toBe(2);
  expect(await warnOfExpiry(database.sql, NOW + 60)).toBe(0);
  expect((await told()).map(({ params }) => params.key)).toEqual(["day", "week"]);
  expect(await warnOfExpiry(database.sql, NOW + 5 * DAY + 1)).toBe(2);
  expect((await told()).slice(2).map(({ params }) => params.key)).toEqual(["week", "later"]);
});
