// The files of the dashboard: names in the reader's language, money instead of quota, unknown costs empty and never 0.
import { afterAll, beforeAll, expect, test } from "vitest";
import { auditEntries, channels, usageHourly, users } from "@/db/schema";
import type { ServiceContext } from "@/lib/context";
import { exportWords } from "@/lib/export/words";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { type DashboardExport, exportDashboard } from "./export-dashboard";

const DAY = 86_400;
const today = Math.floor(Date.now() / 1_000 / DAY) * DAY;

let database: TestDatabase;
const contextOf = (role: number): ServiceContext => ({
  ...database,
  actor: { type: "user", id: 2, username: "u", role, group: "default", via: "session" },
  clientIp: "",
});

const asked: DashboardExport = {
  table: "margin",
  format: "csv",
  margin: "channel",
  search: {
    from: today - 3 * DAY,
    until: today,
    granularity: "day",
    timeZone: "UTC",
    scope: "all",
    dimension: "model",
  },
  words: exportWords("en", { inCurrency: true, quotaPerUnit: 500_000, symbol: "￥" }),
};

async function textOf(ctx: ServiceContext, change: Partial<DashboardExport>): Promise<string[]> {
  const { body } = await exportDashboard(ctx, { ...asked, ...change });
  return (await new Response(body).text()).replace("\uFEFF", "").trim().split(/\r?\n/);
}

beforeAll(async () => {
  database = await createTestDatabase();
  await database.db.insert(users).values({ id: 2, username: "u" });
  await database.db.insert(channels).values([
    { id: 1, name: "known", keyCipher: "x" },
    { id: 2, name: "unknown", keyCipher: "x" },
  ]);
  const row = { hour: today - DAY, userId: 2, tokenId: 1, modelName: "m", group: "g" };
  await database.db.insert(usageHourly).values([
    { ...row, channelId: 1, count: 3, quota: 250_000, cost: 300_000, unknownCosts: 0, promptTokens: 7 },
    { ...row, channelId: 2, count: 2, quota: 500_000, cost: 0, unknownCosts: 2, hour: today - 2 * DAY },
  ]);
});
afterAll(() => database.drop());

test("CSV has names in the reader's language and amounts in money; an unknown cost is empty", async () => {
  expect(await textOf(contextOf(10), {})).toEqual([
    'ID,Name,Owner,Requests,Sold (￥),Bought (￥),Margin (￥),"Paid, not billed (￥)",Attempts with unknown cost,' +
      'Sold (quota),Bought (quota),Margin (quota),"Paid, not billed (quota)"',
    "2,unknown,,2,1,,,0,2,500000,,,0",
    "1,known,,3,0.5,0.6,-0.1,0,0,250000,300000,-50000,0",
  ]);
  expect(await textOf(contextOf(10), { table: "losses" })).toEqual([
    "ID,Channel,Model,Requests,Sold (￥),Bought (￥),Loss (￥),Attempts with unknown cost,Sold (quota),Bought (quota),Loss (quota)",
    "1,known,m,3,0.5,0.6,0.1,0,250000,300000,50000",
  ]);
});

test("JSON lines keep ids and quota, for programs", async () => {
  const [first = ""] = await textOf(contextOf(10), { format: "jsonl" });
  expect(JSON.parse(first)).toMatchObject({ id: "2", sold: 500_000, bought: null, margin: null, unknown_costs: 2 });
});

test("the chart's figures are a row for each bucket and model, for a user their own", async () => {
  const own = { ...asked.search, scope: "own" } as const;
  const day = (ago: number) => new Date((today - ago * DAY) * 1_000).toISOString();
  expect(await textOf(contextOf(1), { table: "usage", search: own })).toEqual([
    "Time,Model,Requests,Tokens,Spend (￥),Spend (quota)",
    `${day(2)},m,2,0,1,500000`,
    `${day(1)},m,3,7,0.5,250000`,
  ]);
  expect(await textOf(contextOf(1), { table: "breakdown", search: own })).toHaveLength(2);
});

test.each(["margin", "losses", "health"] as const)("%s is for administrators, and recorded", async (table) => {
  await expect(textOf(contextOf(1), { table })).rejects.toMatchObject({ code: "forbidden" });
  await database.db.delete(auditEntries);
  await textOf(contextOf(10), { table });
  const entries = await database.db.select().from(auditEntries);
  expect(entries).toMatchObject([{ action: "margin.export", actorId: 2, after: { table, format: "csv" } }]);
});
