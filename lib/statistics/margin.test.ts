// Sold, bought and margin come from the hourly sums, summed or not, and only administrators may read them.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { channels, usageHourly } from "@/db/schema";
import type { ServiceContext } from "@/lib/context";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { readDashboard } from "./dashboard-queries";
import { listLosses, listMarginRows, type MarginSearch, readMargin } from "./margin-queries";
import { rollUpUsage } from "./rollup-commands";

const HOUR = 3_600;
const DAY = 86_400;
const today = Math.floor(Date.now() / 1_000 / DAY) * DAY;
const window: MarginSearch = {
  from: today - 9 * DAY,
  until: today,
  granularity: "day",
  timeZone: "UTC",
  dimension: "channel",
};

const dayOf = (seconds: number) => new Date(seconds * 1_000).toISOString().slice(0, 10);

let database: TestDatabase;
const contextOf = (role: number): ServiceContext => ({
  ...database,
  actor: { type: "user", id: 2, username: "u", role, group: "default", via: "session" },
  clientIp: "",
});

type Row = Partial<typeof usageHourly.$inferInsert>;
const book = (rows: Row[]) =>
  database.db
    .insert(usageHourly)
    .values(rows.map((row) => ({ hour: 0, userId: 2, tokenId: 1, channelId: 1, modelName: "m", group: "g", ...row })));

beforeAll(async () => {
  database = await createTestDatabase();
  await database.db.insert(channels).values([
    { id: 1, name: "cheap", keyCipher: "x" },
    {
      id: 2,
      name: "dear",
      keyCipher: "x",
      setting: JSON.stringify({ cost_factor: 0.5, cost_prices: { m: { input: 1 }, n: { input: 2 } } }),
    },
  ]);
  await book([
    { hour: today - 8 * DAY, count: 10, quota: 1_000, cost: 400, unknownCosts: 0 },
    { hour: today - 8 * DAY, channelId: 2, count: 5, quota: 500, cost: 900, unbilledCost: 30, unknownCosts: 2 },
    { hour: today - 3 * DAY + HOUR, count: 4, quota: 40, modelName: "n", tokenId: 3, cost: 10, unknownCosts: 0 },
    // From before there were costs: none of its six is known.
    { hour: today - 2 * DAY, count: 6, quota: 60, unknownCosts: null },
    // Only failures: something was paid, and nothing was sold.
    {
      hour: today - DAY,
      channelId: 2,
      modelName: "broken",
      count: 0,
      quota: 0,
      cost: 70,
      unbilledCost: 70,
      unknownCosts: 0,
    },
    { hour: today - 100 * DAY, channelId: 2, modelName: "old", count: 1, quota: 20, cost: 21, unknownCosts: 0 },
  ]);
});
afterAll(() => database.drop());

const totals = { count: 25, sold: 1_600, bought: 1_380, unbilled: 100, unknown: 8 };

describe.each(["before", "after"])("%s the hours are summed", (when) => {
  beforeAll(async () => {
    if (when === "before") return;
    for (let done = 1; done > 0; ) done = await rollUpUsage(database.sql);
  });

  test("by day", async () => {
    const report = await readMargin(contextOf(10), window);
    expect(report.totals).toEqual(totals);
    expect(report.buckets).toHaveLength(9);
    expect(report.points[1]).toEqual({ count: 15, sold: 1_500, bought: 1_300, unbilled: 30, unknown: 2 });
    expect(report.points[7]).toEqual({ count: 6, sold: 60, bought: 0, unbilled: 0, unknown: 6 });
    expect(report.points[8]).toEqual({ count: 0, sold: 0, bought: 70, unbilled: 70, unknown: 0 });
  });

  test("per channel, model and API key, and all add up to the same", async () => {
    const of = async (dimension: MarginSearch["dimension"]) =>
      (await readMargin(contextOf(10), { ...window, dimension })).rows;
    expect(await of("channel")).toMatchObject([
      { key: "1", label: "cheap", count: 20, sold: 1_100, bought: 410, unknown: 6 },
      { key: "2", label: "dear", count: 5, sold: 500, bought: 970, unbilled: 100, unknown: 2 },
    ]);
    expect(await of("model")).toMatchObject([
      { key: "m", sold: 1_560, bought: 1_300 },
      { key: "broken", count: 0, sold: 0, bought: 70 },
      { key: "n", sold: 40, bought: 10 },
    ]);
    expect(await of("token")).toMatchObject([
      { key: "1", sold: 1_560, bought: 1_370 },
      { key: "3", sold: 40, bought: 10 },
    ]);
    const exported = await listMarginRows(contextOf(10), { ...window, dimension: "token" });
    expect(exported.map(({ bought }) => bought)).toEqual([1_370, 10]);
  });

  test("per user and day, which add up to the same too", async () => {
    const of = async (dimension: MarginSearch["dimension"]) => readMargin(contextOf(10), { ...window, dimension });
    const users = await of("user");
    expect(users.rows).toMatchObject([{ key: "2", count: 25, sold: 1_600, bought: 1_380, unbilled: 100, unknown: 8 }]);
    const days = await of("day");
    expect(days.rows.map(({ label, sold, bought, unknown }) => [label, sold, bought, unknown])).toEqual([
      [dayOf(today - DAY), 0, 70, 0],
      [dayOf(today - 2 * DAY), 60, 0, 6],
      [dayOf(today - 3 * DAY), 40, 10, 0],
      [dayOf(today - 8 * DAY), 1_500, 1_300, 2],
    ]);
    for (const { rest } of [users, days])
      expect(rest).toEqual({ count: 0, sold: 0, bought: 0, unbilled: 0, unknown: 0 });
  });

  test("the channels say what their upstreams take", async () => {
    const { rows } = await readMargin(contextOf(10), window);
    expect(rows.map(({ terms }) => terms)).toEqual([
      { factor: 1, ownPrices: 0 },
      { factor: 0.5, ownPrices: 2 },
    ]);
    // As the relay reads it: what cannot be read is not known, whatever it seems to say.
    await database.sql`update channels set setting = '{"cost_factor": 5000, "cost_prices": {"m": {"input": 1}}}' where id = 1`;
    const changed = await readMargin(contextOf(10), window);
    expect(changed.rows[0]?.terms).toEqual({ factor: null, ownPrices: 0 });
    await database.sql`update channels set setting = '' where id = 1`;
  });

  test("models that cost more at a channel than they bring in are listed, the largest loss first", async () => {
    const report = await listLosses(contextOf(10), window);
    expect(report).toMatchObject({ count: 2, loss: 470 });
    expect(report.rows).toEqual([
      {
        channelId: 2,
        channelName: "dear",
        modelName: "m",
        count: 5,
        sold: 500,
        bought: 900,
        unbilled: 30,
        unknown: 2,
      },
      {
        channelId: 2,
        channelName: "dear",
        modelName: "broken",
        count: 0,
        sold: 0,
        bought: 70,
        unbilled: 70,
        unknown: 0,
      },
    ]);
    expect(await listLosses(contextOf(10), window, 1)).toMatchObject({ count: 2, loss: 470, rows: [{ bought: 900 }] });
  });

  test("losses are those of the whole window, but of its last 31 days while the hours are not summed", async () => {
    const report = await listLosses(contextOf(10), { ...window, from: today - 200 * DAY });
    expect(report.rows.map(({ modelName }) => modelName)).toEqual(
      when === "before" ? ["m", "broken"] : ["m", "broken", "old"],
    );
    expect(report.from).toBe(today - (when === "before" ? 31 : 200) * DAY);
  });

  test("failures alone appear in nobody's usage", async () => {
    const own = { from: window.from, until: window.until, granularity: "day", timeZone: "UTC" } as const;
    const dashboard = await readDashboard(contextOf(1), { ...own, scope: "own", dimension: "model" });
    expect(dashboard.models.map(({ name }) => name)).toEqual(["m", "n"]);
    const all = await readDashboard(contextOf(10), { ...own, scope: "all", dimension: "model" });
    expect(all.models.map(({ name }) => name)).toEqual(["m", "n"]);
  });
});

test("ordinary users may not read it", async () => {
  await expect(readMargin(contextOf(1), window)).rejects.toThrow("forbidden");
  await expect(listMarginRows(contextOf(1), window)).rejects.toThrow("forbidden");
  await expect(listLosses(contextOf(1), window)).rejects.toThrow("forbidden");
});

test("a window that is too long, or upside down, is refused", async () => {
  await expect(readMargin(contextOf(10), { ...window, from: today - 400 * DAY })).rejects.toThrow("timeRangeTooLong");
  await expect(readMargin(contextOf(10), { ...window, granularity: "hour", from: today - 40 * DAY })).rejects.toThrow();
  await expect(readMargin(contextOf(10), { ...window, from: today + 1 })).rejects.toThrow("invalid");
});
