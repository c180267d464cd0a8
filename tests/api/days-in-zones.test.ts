/**
 * A request every five minutes for a month in which clocks change, seen from 38 time zones: days begin on the hour, at half past, at a
 * quarter past and to. Each day has the same requests and the same money in the dashboard, the list of usage, the log, the margin and
 * the budgets, and all of them are in the statement. The clock of Intl says which day a request is of.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { channels, tokens, users } from "@/db/schema";
import { reconcile } from "@/lib/billing/reconcile";
import type { ServiceContext } from "@/lib/context";
import { budgetPeriods } from "@/lib/limit/budget-periods";
import { readOwnBudgets, readTokenBudgets } from "@/lib/limit/budget-queries";
import { startOfDay } from "@/lib/local-day";
import { warnOfBudgets } from "@/lib/notify/budget-warning-commands";
import { takeBudget } from "@/lib/relay/admission/limits/budget-commands";
import { readDashboard } from "@/lib/statistics/dashboard-queries";
import { listMarginRows, readMargin } from "@/lib/statistics/margin-queries";
import { listHourlyUsage } from "@/lib/statistics/queries";
import { rollUpUsage } from "@/lib/statistics/rollup-commands";
import { DIMENSIONS } from "@/lib/statistics/types";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { rewriteBooks } from "@/lib/testing/rewrite-books";
import { listStatement } from "@/lib/topup/statement-queries";
import { sumLogs } from "@/lib/usage-log/sum-queries";

const ZONES = [
  ...["Etc/GMT+12", "Pacific/Pago_Pago", "Pacific/Honolulu", "Pacific/Marquesas", "America/Anchorage"],
  ...["America/Los_Angeles", "America/Denver", "America/Chicago", "America/New_York", "America/Halifax"],
  ...["America/St_Johns", "America/Sao_Paulo", "America/Noronha", "Atlantic/Azores", "UTC", "Europe/London"],
  ...["Europe/Berlin", "Africa/Cairo", "Europe/Moscow", "Asia/Tehran", "Asia/Dubai", "Asia/Kabul", "Asia/Karachi"],
  ...["Asia/Kolkata", "Asia/Kathmandu", "Asia/Dhaka", "Asia/Yangon", "Asia/Bangkok", "Asia/Shanghai"],
  ...["Australia/Eucla", "Asia/Tokyo", "Australia/Adelaide", "Australia/Darwin", "Australia/Lord_Howe"],
  ...["Pacific/Noumea", "Pacific/Chatham", "Pacific/Tongatapu", "Pacific/Kiritimati"],
];
const STEP = 300;
const at = (text: string) => Math.floor(Date.parse(text) / 1000);
/** Chatham puts its clocks forward on 27 September, Lord Howe and Adelaide on 4 October 2026, Europe back on 25 October. */
const FIRST = at("2026-09-24T00:00:00Z");
const AFTER = at("2026-10-29T00:00:00Z");
const requests = Array.from({ length: (AFTER - FIRST) / STEP }, (_, n) => ({
  at: FIRST + n * STEP,
  quota: (n % 97) + 1,
  // Several users, keys, channels and models, so that sums by each of them are cut as well.
  part: n % 3,
}));

type Sum = { count: number; quota: number };
const sumOf = (found: readonly { quota: number }[]): Sum => ({
  count: found.length,
  quota: found.reduce((sum, { quota }) => sum + quota, 0),
});

let database: TestDatabase;
const contextOf = (id: number, role: number): ServiceContext => ({
  ...database,
  actor: { type: "user", id, username: `user${id}`, role, group: "default", via: "session" },
  clientIp: "",
});
const admin = () => contextOf(9, 100);
const owner = () => contextOf(1, 1);

beforeAll(async () => {
  database = await createTestDatabase();
  const { db, sql } = database;
  const limits = { budgetDay: 1_000_000, budgetWeek: 2_000_000, budgetMonth: 3_000_000 };
  await db.insert(users).values([1, 2, 3, 9].map((id) => ({ id, username: `user${id}`, ...limits })));
  await db.insert(channels).values([1, 2, 3].map((id) => ({ id, name: `channel ${id}`, keyCipher: "x" })));
  await db.insert(tokens).values(
    [1, 2, 3].map((id) => ({
      id,
      userId: id,
      name: `key ${id}`,
      keyHash: `${id}`,
      keyCipher: "",
      keyHint: "",
      unlimitedQuota: true,
      ...limits,
    })),
  );
  // What weir_book_settlements writes, of all requests at once; the books' own check below says whether it is.
  await sql`
    create temporary table made as
    select ${FIRST}::bigint + n * ${STEP} as at, n % 97 + 1 as quota, n % 3 + 1 as part, n % 11 = 3 as hidden
    from generate_series(0, ${requests.length - 1}) n`;
  await sql`
    insert into usage_logs (request_id, created_at, type, user_id, username, token_id, token_name, channel_id, model_name, "group",
      quota, cost, unknown_costs, prompt_tokens, completion_tokens, hidden)
    select 'r' || at, at, 2, part, 'user' || part, part, 'key ' || part, part, 'model ' || part, 'default', quota, quota, 0, 2, 1, hidden
    from made`;
  // Some requests are hidden from the log, as while it is off; a version that did not count these wrote every tenth hour.
  await sql`
    insert into usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", count, quota, cost, unknown_costs,
      prompt_tokens, completion_tokens, hidden_count)
    select at - at % 3600, part, part, part, 'model ' || part, 'default', count(*), sum(quota), sum(quota), 0, 2 * count(*), count(*),
      case when (at - at % 3600) / 3600 % 10 <> 0 then count(*) filter (where hidden) end
    from made group by 1, 2`;
  for (const table of ["users", "tokens", "channels"]) {
    await sql`
      update ${sql(table)} set used_quota = used.quota
        ${table === "users" ? sql`, request_count = used.count, quota = -used.quota` : sql``}
      from (select part, sum(quota) as quota, count(*) as count from made group by part) used where id = part`;
  }
  await sql`update tokens set granted_quota = remain_quota + used_quota`;
}, 60_000);
afterAll(() => database.drop());

type Day = { start: number; end: number; all: Sum; own: Sum };

const known = new Map<string, Day[]>();

/** The days that begin and end within the month, by the clock on the wall. */
function daysOf(timeZone: string): Day[] {
  const days = known.get(timeZone) ?? readDays(timeZone);
  known.set(timeZone, days);
  return days;
}

function readDays(timeZone: string): Day[] {
  const date = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short" });
  const byDate = new Map<string, typeof requests>();
  for (const request of requests) {
    const name = date.format(request.at * 1_000);
    const found = byDate.get(name);
    if (found) found.push(request);
    else byDate.set(name, [request]);
  }
  return [...byDate.values()].slice(1, -1).map((found) => {
    const start = found[0]?.at ?? 0;
    const end = (found.at(-1)?.at ?? 0) + STEP;
    return { start, end, all: sumOf(found), own: sumOf(found.filter(({ part }) => part === 0)) };
  });
}

const pointsOf = (models: { points: Sum[] }[], place: number): Sum =>
  models.reduce(
    (sum, { points }) => ({
      count: sum.count + (points[place]?.count ?? 0),
      quota: sum.quota + (points[place]?.quota ?? 0),
    }),
    { count: 0, quota: 0 },
  );

/** The first day, and those on which a clock changes. */
const chosen = (days: Day[]) => days.filter(({ start, end }, place) => place === 0 || end - start !== 86_400);

async function compareDays(timeZone: string): Promise<void> {
  const days = daysOf(timeZone);
  const month = days.slice(-30);
  const window = { from: month[0]?.start ?? 0, until: month[29]?.end ?? 0, timeZone };
  for (const [ctx, scope, of] of [
    [admin(), "all", "all"],
    [owner(), "own", "own"],
  ] as const) {
    const board = await readDashboard(ctx, { ...window, scope, granularity: "day", dimension: "group" });
    expect(board.buckets, timeZone).toEqual(month.map(({ start }) => start));
    expect(
      month.map((_, place) => pointsOf(board.models, place)),
      timeZone,
    ).toEqual(month.map((day) => day[of]));
    expect(board.breakdown.rest, timeZone).toEqual({ quota: 0, count: 0, tokens: 0 });
  }
  const margins = await listMarginRows(admin(), { ...window, granularity: "day", dimension: "day" });
  expect(margins.map(({ count, sold }) => ({ count, quota: sold })).reverse(), timeZone).toEqual(
    month.map(({ all }) => all),
  );
  await compareStatement(timeZone, days);
  for (const day of chosen(days)) await compareDay(timeZone, day);
}

/** Every whole day is a line of the statement, whose balance is that of the day's end. */
async function compareStatement(timeZone: string, days: readonly Day[]): Promise<void> {
  const { items } = await listStatement(owner(), { pageSize: 100, timeZone });
  const lines = new Map(items.map((line) => [line.at, line]));
  const shown = days.map(({ start }) => {
    const { count = 0, amount = 0, balance = 0 } = lines.get(start) ?? {};
    return { count, quota: -amount, balance };
  });
  const spentBefore = (end: number) =>
    requests.reduce((sum, { at: time, part, quota }) => sum + (part === 0 && time < end ? quota : 0), 0);
  const expected = days.map(({ own, end }) => ({ ...own, balance: -spentBefore(end) }));
  expect(shown, timeZone).toEqual(expected);
  const [first] = days;
  const filters = { from: first?.start ?? 0, until: (first?.end ?? 0) - 1, timeZone };
  expect(
    (await listStatement(owner(), filters)).items.map(({ at: time }) => time),
    timeZone,
  ).toEqual([first?.start]);
}

async function compareDay(timeZone: string, { start, end, all, own }: Day): Promise<void> {
  const name = `${timeZone} ${new Date(start * 1_000).toISOString()}`;
  expect(startOfDay(start + 3_600, timeZone), name).toBe(start);
  expect(budgetPeriods(start + 3_600, timeZone).day, name).toEqual({ start, end });
  const window = { from: start, until: end, timeZone, granularity: "hour" as const };
  const dimension = DIMENSIONS[start % 5] ?? "model";
  const board = await readDashboard(admin(), { ...window, scope: "all", dimension });
  expect(board.totals, name).toMatchObject(all);
  expect(sumOfRows(board.breakdown.rows), `${name} by ${dimension}`).toEqual(all);
  expect(board.buckets[0], name).toBe(start);
  const mine = await readDashboard(owner(), { ...window, scope: "own", dimension: "token" });
  expect(mine.totals, name).toMatchObject(own);
  expect(sumOfRows(mine.breakdown.rows), name).toEqual(own);
  expect(sumOfRows(await listHourlyUsage(admin(), { scope: "all", from: start, until: end - 1 })), name).toEqual(all);
  expect(sumOfRows(await listHourlyUsage(owner(), { scope: "own", from: start, until: end - 1 })), name).toEqual(own);
  const log = { startTimestamp: start, endTimestamp: end - 1 };
  expect((await sumLogs(admin(), { ...log, scope: "all" })).quota, name).toBe(all.quota);
  expect((await sumLogs(admin(), { ...log, scope: "all", username: "user1" })).quota, name).toBe(own.quota);
  const by = (["user", "token", "channel", "model"] as const)[start % 4] ?? "user";
  const margin = await readMargin(admin(), { ...window, dimension: by });
  expect({ count: margin.totals.count, quota: margin.totals.sold }, name).toEqual(all);
  expect(margin.rest, `${name} by ${by}`).toMatchObject({ count: 0, sold: 0 });
}

const sumOfRows = (rows: readonly Sum[]): Sum => ({
  count: rows.reduce((sum, { count }) => sum + count, 0),
  quota: rows.reduce((sum, { quota }) => sum + quota, 0),
});

test("there are 38 zones, of every offset that a clock has, and some change their clocks by half an hour", () => {
  expect(new Set(ZONES).size).toBe(38);
  const lengths = new Set(ZONES.flatMap((zone) => daysOf(zone).map(({ start, end }) => (end - start) / 3_600)));
  expect([...lengths].sort()).toEqual([23, 23.5, 24, 25]);
});

describe("a day of requests adds up in the dashboard, the log, the margin, the statement and the list of usage", () => {
  test.each(ZONES)("in %s, from the hours that are booked", compareDays);
});

describe("a budget has what was spent since midnight, whether it was there then or is set during the day", () => {
  // Half past eleven in UTC on the last day: everything after midnight was spent, in every zone.
  const now = AFTER - 1_800;

  test.each(ZONES)("in %s", async (timeZone) => {
    const { sql } = database;
    await sql`delete from budget_periods`;
    await sql`insert into options (key, value) values ('BudgetTimeZone', ${timeZone}) on conflict (key) do update set value = excluded.value`;
    const periods = budgetPeriods(now, timeZone);
    const spentSince = (start: number) =>
      requests.reduce((sum, request) => sum + (request.part === 0 && request.at >= start ? request.quota : 0), 0);
    const lefts = [
      1_000_000 - spentSince(periods.day.start),
      2_000_000 - spentSince(periods.week.start),
      3_000_000 - spentSince(periods.month.start),
    ];
    const shown = async () => [
      (await readOwnBudgets(owner(), now)).map(({ left }) => left),
      (await readTokenBudgets(owner(), [1], now))[1]?.map(({ left }) => left),
    ];
    expect(await shown()).toEqual([lefts, lefts]);
    const node = "00000000-0000-4000-8000-000000000001";
    await sql`insert into nodes (id) values (${node}) on conflict do nothing`;
    const ask = { wanted: 0, needed: 0, least: 0, dropped: 0 };
    const starts = [periods.day.start, periods.week.start, periods.month.start];
    for (const kind of ["user", "token"] as const) {
      const limits = [1_000_000, 2_000_000, 3_000_000] as const;
      const grant = await takeBudget(sql, node, { owner: kind, id: 1, userId: 1, limits }, { ...ask, starts });
      expect(grant.lefts, kind).toEqual(lefts);
    }
    expect(await shown()).toEqual([lefts, lefts]);
  });

  test("and its warning says the same amount", async () => {
    const { sql } = database;
    await sql`delete from budget_periods`;
    await sql`update options set value = 'Asia/Kolkata' where key = 'BudgetTimeZone'`;
    const { day } = budgetPeriods(now, "Asia/Kolkata");
    const spent = requests.reduce((sum, one) => sum + (one.part === 0 && one.at >= day.start ? one.quota : 0), 0);
    // Exactly all of it is spent: with the minutes before midnight it would be more.
    await sql`update users set budget_day = ${spent}, budget_week = 0, budget_month = 0 where id = 1`;
    await sql`update tokens set budget_day = 0, budget_week = 0, budget_month = 0`;
    await warnOfBudgets(sql, now);
    const [notice] = await sql`select params from notifications where user_id = 1 and event = 'budget_reached'`;
    expect(notice?.params).toMatchObject({ percent: 100, spent });
  });
});

test("every request is in the statement, and the books agree", async () => {
  const { items } = await listStatement(owner(), { pageSize: 100 });
  const lines = items.filter(({ kind }) => kind === "consumption");
  const own = sumOf(requests.filter(({ part }) => part === 0));
  expect({
    count: lines.reduce((sum, { count }) => sum + count, 0),
    quota: -lines.reduce((sum, { amount }) => sum + amount, 0),
  }).toEqual(own);
  expect(items[0]?.balance).toBe(-own.quota);
  const { differences } = await reconcile(database.sql);
  expect(differences).toEqual([]);
});

describe("the same holds", () => {
  const ODD = ["Asia/Kolkata", "Asia/Kathmandu", "Pacific/Marquesas", "Australia/Lord_Howe", "Pacific/Chatham"];

  test("when hours and longer spans are summed", async () => {
    // Fewer hours, because each is summed in a transaction of its own.
    const since = at("2026-10-20T00:00:00Z");
    await rewriteBooks(
      database.sql,
      `delete from usage_hourly where hour < ${since}; delete from usage_logs where created_at < ${since}`,
    );
    while ((await rollUpUsage(database.sql)) > 0);
    for (const zone of ODD) for (const day of daysOf(zone).slice(-5)) await compareDay(zone, day);
  }, 60_000);

  test("of windows whose rows were cleared as far as it can: days that follow each other add up to all hours", async () => {
    await rewriteBooks(database.sql, "delete from usage_logs");
    for (const timeZone of ODD) {
      const days = daysOf(timeZone).slice(-7);
      let count = 0;
      for (const { start, end } of days) {
        const window = { from: start, until: end, timeZone, granularity: "day" as const };
        count += (await readDashboard(admin(), { ...window, scope: "all", dimension: "user" })).totals.count;
      }
      expect(count % 12, timeZone).toBe(0);
      expect(Math.abs(count - days.reduce((sum, { all }) => sum + all.count, 0)), timeZone).toBeLessThan(12);
    }
  });
});
