import { afterAll, beforeAll, expect, test } from "vitest";
import { takeBudget } from "@/lib/relay/admission/limits/budget-commands";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { budgetPeriods } from "./budget-periods";
import { readOwnBudgets, readTokenBudgets, readUserBudgets } from "./budget-queries";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const now = Date.parse("2026-11-25T12:00:00Z") / 1_000;
const HOUR = 3_600;

test("what is left of budgets follows the hours of the period until its baseline is written, then the sum of all usage", async () => {
  const { sql, db } = database;
  const [user] = await sql<{ id: number }[]>`
    insert into users (username, used_quota, budget_day, budget_month) values ('b', 100, 50, 90) returning id`;
  const id = user?.id ?? 0;
  const [token] = await sql<{ id: number }[]>`
    insert into tokens (user_id, key_hash, key_cipher, key_hint, name, unlimited_quota, used_quota, budget_week)
    values (${id}, 'h', 'c', 'k', 't', true, 100, 60) returning id`;
  const tokenId = token?.id ?? 0;
  // 40 today, 30 on Monday, 30 last month.
  for (const [hour, quota] of [
    [now - HOUR, 40],
    [now - 48 * HOUR, 30],
    [now - 30 * 24 * HOUR, 30],
  ] as const) {
    await sql`insert into usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", quota)
      values (${hour}, ${id}, ${tokenId}, 1, 'm', 'default', ${quota})`;
  }
  const ctx = { db, actor: { type: "user", id, role: 1, group: "default" } } as never;
  const resets = budgetPeriods(now, "UTC");
  const own = [
    { period: "day", limit: 50, left: 10, resetsAt: resets.day.end },
    { period: "month", limit: 90, left: 20, resetsAt: resets.month.end },
  ];
  expect(await readOwnBudgets(ctx, now)).toEqual(own);
  const admin = { db, actor: { type: "user", id: id + 1, role: 10, group: "default" } } as never;
  expect(await readUserBudgets(admin, id, now)).toEqual(own);
  await expect(readUserBudgets(ctx, id, now)).rejects.toMatchObject({ code: "forbidden" });
  expect(await readTokenBudgets(ctx, [tokenId], now)).toEqual({
    [tokenId]: [{ period: "week", limit: 60, left: -10, resetsAt: resets.week.end }],
  });

  const node = "00000000-0000-4000-8000-000000000001";
  await sql`insert into nodes (id) values (${node})`;
  const starts = [resets.day.start, resets.week.start, resets.month.start];
  const owner = { owner: "user", id, userId: id, limits: [50, 0, 90] } as const;
  const granted = await takeBudget(sql, node, owner, { starts, wanted: 30, needed: 20, least: 5, dropped: 0 });
  expect(granted).toEqual({ granted: 10, lefts: [10, null, 20] });
  expect(await readOwnBudgets(ctx, now)).toEqual(own);
});
