import { nowSeconds } from "@/lib/clock";
import { LOG_TYPE } from "@/lib/row-status";
import { readDashboard } from "@/lib/statistics/dashboard-queries";
import { readHealthSeries } from "@/lib/statistics/health-queries";
import { listLosses, readMargin } from "@/lib/statistics/margin-queries";
import { MARGIN_DIMENSIONS } from "@/lib/statistics/margin-types";
import { listHourlyUsage } from "@/lib/statistics/queries";
import { DIMENSIONS, type Dimension, type Granularity } from "@/lib/statistics/types";
import { countByTime } from "@/lib/usage-log/bar-queries";
import { listLogsSince, readLogs } from "@/lib/usage-log/batch-queries";
import { countLogsBefore } from "@/lib/usage-log/clear-queries";
import { listFailureGroups } from "@/lib/usage-log/failure-queries";
import { listLogs } from "@/lib/usage-log/queries";
import type { LogSearch } from "@/lib/usage-log/schemas";
import { sumLogs } from "@/lib/usage-log/sum-queries";
import { defaultLogWindow } from "@/lib/usage-log/window";
import { type Case, type People, turnOf } from "./list-people";

const DAY = 86_400;
const HOUR = 3_600;
const ZONES = ["UTC", "Asia/Shanghai", "America/New_York", "Asia/Kolkata"];

type Filter = [name: string, search: (turn: number) => LogSearch];

/** Every log filter and pairs of them, with values that match many rows, few rows and none. */
function logFilters(names: string[]): Filter[] {
  const now = nowSeconds();
  return [
    ["no filter", () => ({})],
    ["type", (turn) => ({ type: 1 + (turn % 5) })],
    ["user", (turn) => ({ username: turnOf([...names.slice(0, 6), ...names.slice(-6), "nobody"], turn) })],
    ["token", (turn) => ({ tokenName: turnOf(["token 104729", "token 9458", "token 7", "none"], turn) })],
    ["model", (turn) => ({ modelName: turnOf(["gpt-4o", "o3", "none"], turn) })],
    ["part of a model", (turn) => ({ modelName: turnOf(["%gpt%", "%claude%", "%none%", "%"], turn) })],
    ["group", (turn) => ({ group: turnOf(["vip", "default", "none"], turn) })],
    ["channel", (turn) => ({ channelId: 1 + turn * 311 })],
    ["request", (turn) => ({ requestId: turnOf([`scale-${4_000_000 - turn}`, "none-such-request"], turn) })],
    ["one hour", (turn) => ({ startTimestamp: now - (turn + 2) * DAY, endTimestamp: now - (turn + 2) * DAY + HOUR })],
    ["ten days", (turn) => ({ startTimestamp: now - (turn + 10) * DAY, endTimestamp: now - turn * DAY + 77 })],
    ["user and model", (turn) => ({ username: turnOf(names, turn), modelName: turnOf(["gpt-4o", "%none%"], turn) })],
    ["user and type", (turn) => ({ username: turnOf(names, turn), type: turnOf([5, 2, 3], turn) })],
    ["user and channel", (turn) => ({ username: turnOf(names, turn), channelId: 1 + turn * 13 })],
    ["user and group", (turn) => ({ username: turnOf(names, turn), group: turnOf(["vip", "none"], turn) })],
    ["channel and errors", (turn) => ({ channelId: 1 + turn * 17, type: LOG_TYPE.error })],
    ["channel and token", (turn) => ({ channelId: 1 + turn * 17, tokenName: "model test", type: LOG_TYPE.consume })],
    [
      "model and group",
      (turn) => ({ modelName: turnOf(["gpt-4o", "%o3%"], turn), group: turnOf(["vip", "none"], turn) }),
    ],
    ["model and errors", (turn) => ({ modelName: turnOf(["gpt-4o", "o3"], turn), type: LOG_TYPE.error })],
    ["status", (turn) => ({ statusCode: turnOf([502, 429, 418], turn) })],
    ["code and cause", (turn) => ({ errorCode: turnOf(["rate_limit", "none"], turn), errorCause: `cause ${turn}` })],
    ["group and errors", (turn) => ({ group: turnOf(["vip", "none"], turn), type: LOG_TYPE.error })],
  ];
}

export function logCases({ admin, heavy, light, names }: People): Case[] {
  const now = nowSeconds();
  const usual = defaultLogWindow(now, 10);
  const usualSearch = { startTimestamp: usual.start, endTimestamp: usual.end };
  const filters = logFilters(names);
  const own = filters.filter(([name]) => !name.includes("user") && !name.includes("channel"));
  const people = [heavy, light];
  const size = (turn: number) => turnOf([10, 50, 100], turn);
  return [
    ...filters.flatMap(([name, search]): Case[] => [
      {
        name: `log: ${name}`,
        run: (turn) => listLogs(admin.ctx, { pageSize: size(turn), ...(turn % 2 ? usualSearch : {}), ...search(turn) }),
      },
      {
        name: `log sum: ${name}`,
        run: (turn) => sumLogs(admin.ctx, { ...(turn % 2 ? usualSearch : {}), ...search(turn) }),
      },
    ]),
    ...own.flatMap(([name, search]): Case[] => [
      {
        name: `own log: ${name}`,
        run: (turn) => listLogs(turnOf(people, turn).ctx, { pageSize: size(turn), ...search(turn) }),
      },
      { name: `own log sum: ${name}`, run: (turn) => sumLogs(turnOf(people, turn).ctx, search(turn)) },
    ]),
    { name: "log: deep pages", run: (turn) => listLogs(admin.ctx, { page: 9_900 + turn, pageSize: 10 }) },
    {
      name: "log: deep pages of a user",
      run: (turn) => listLogs(admin.ctx, { username: names[0] ?? "", page: 900 + turn * 50, pageSize: 100 }),
    },
    {
      name: "log: the whole page",
      run: (turn) =>
        Promise.all([listLogs(admin.ctx, { ...usualSearch, pageSize: size(turn) }), sumLogs(admin.ctx, usualSearch)]),
    },
    {
      name: "log: the whole page of a user",
      run: (turn) => {
        const { ctx } = turnOf(people, turn);
        return Promise.all([listLogs(ctx, { pageSize: size(turn) }), sumLogs(ctx, {})]);
      },
    },
    ...filters.flatMap(([name, search]): Case[] => [
      {
        name: `failures by cause: ${name}`,
        run: (turn) => listFailureGroups(admin.ctx, { ...usualSearch, ...search(turn) }),
      },
      { name: `log over time: ${name}`, run: (turn) => countByTime(admin.ctx, { ...usualSearch, ...search(turn) }) },
    ]),
    {
      name: "failures by cause: own",
      run: (turn) => listFailureGroups(turnOf(people, turn).ctx, usualSearch),
    },
    { name: "log over time: own", run: (turn) => countByTime(turnOf(people, turn).ctx, usualSearch) },
    { name: "log: rows before a moment", run: (turn) => countLogsBefore(admin.ctx, now - turn * DAY) },
    { name: "log: live tail", run: () => listLogsSince(admin.ctx, {}, nowSeconds() - 15, 100) },
    ...filters.map(
      ([name, search]): Case => ({
        name: `log export, first rows: ${name}`,
        run: (turn) => readLogs(admin.ctx, { ...usualSearch, ...search(turn) }).next(),
      }),
    ),
  ];
}

export function chartCases(people: People): Case[] {
  return [...dashboardCases(people), ...costCases(people.admin)];
}

function dashboardCases({ admin, heavy, light, names }: People): Case[] {
  const now = nowSeconds() - (nowSeconds() % 60);
  const windows: [string, number, Granularity][] = [
    ["day by hour", DAY, "hour"],
    ["week by day", 7 * DAY, "day"],
    ["30 days by day", 30 * DAY, "day"],
    ["30 days by hour", 30 * DAY, "hour"],
  ];
  const dashboard = (
    person: "admin" | "own" | "user",
    name: string,
    span: number,
    granularity: Granularity,
    dimension: Dimension,
  ): Case => ({
    name: `dashboard, ${person}: ${name} and ${dimension}`,
    run: (turn) => {
      // Windows that end now, and earlier ones that end at varying hours.
      const until = turn % 3 === 0 ? now + HOUR : now - turn * 5 * HOUR;
      const window = { from: until - span, until, granularity, timeZone: turnOf(ZONES, turn), dimension };
      if (person === "own") return readDashboard(turnOf([heavy, light], turn).ctx, { ...window, scope: "own" });
      return readDashboard(admin.ctx, {
        ...window,
        scope: "all",
        ...(person === "user" ? { username: turnOf(names, turn) } : {}),
      });
    },
  });
  return [
    ...windows.flatMap(([name, span, granularity]) => [
      ...DIMENSIONS.map((dimension) => dashboard("admin", name, span, granularity, dimension)),
      ...DIMENSIONS.map((dimension) => dashboard("user", name, span, granularity, dimension)),
      ...(["model", "token", "group"] as const).map((dimension) =>
        dashboard("own", name, span, granularity, dimension),
      ),
    ]),
    dashboard("admin", "year by week", 366 * DAY, "week", "user"),
    dashboard("admin", "year by week", 366 * DAY, "week", "token"),
    {
      name: "dashboard, admin: the whole page",
      run: (turn) => {
        const window = {
          from: now - 7 * DAY,
          until: now + HOUR,
          granularity: "day" as const,
          timeZone: turnOf(ZONES, turn),
        };
        return Promise.all([
          readDashboard(admin.ctx, { ...window, scope: "all", dimension: turnOf(DIMENSIONS, turn) }),
          readHealthSeries(admin.ctx, window),
        ]);
      },
    },
    ...windows.map(
      ([name, span, granularity]): Case => ({
        name: `health of all channels: ${name}`,
        run: (turn) =>
          readHealthSeries(admin.ctx, { from: now - span, until: now, granularity, timeZone: turnOf(ZONES, turn) }),
      }),
    ),
    {
      name: "usage by hour: all, 30 days",
      run: () => listHourlyUsage(admin.ctx, { scope: "all", from: now - 30 * DAY, until: now }),
    },
    {
      name: "usage by hour: a user's",
      run: (turn) =>
        listHourlyUsage(admin.ctx, { scope: "all", from: now - 30 * DAY, until: now, username: turnOf(names, turn) }),
    },
    {
      name: "usage by hour: own",
      run: (turn) =>
        listHourlyUsage(turnOf([heavy, light], turn).ctx, { scope: "own", from: now - 30 * DAY, until: now }),
    },
  ];
}

function costCases(admin: People["admin"]): Case[] {
  const now = nowSeconds() - (nowSeconds() % 60);
  return [
    ...MARGIN_DIMENSIONS.map(
      (dimension): Case => ({
        name: `cost and margin: 30 days by ${dimension}`,
        run: (turn) => {
          const until = now - turn * 5 * HOUR;
          const window = { from: until - 30 * DAY, until, granularity: "day" as const, timeZone: turnOf(ZONES, turn) };
          return readMargin(admin.ctx, { ...window, dimension });
        },
      }),
    ),
    ...[7, 31].map(
      (days): Case => ({
        name: `losses: ${days} days`,
        run: (turn) => {
          const until = now - turn * 5 * HOUR;
          const window = { from: until - days * DAY, until, granularity: "day" as const, timeZone: "UTC" };
          return listLosses(admin.ctx, { ...window, dimension: "model" });
        },
      }),
    ),
    {
      name: "dashboard, admin: 15 minutes",
      run: (turn) => {
        const window = { from: now - 15 * 60, until: now + 60, granularity: "minute" as const, timeZone: "UTC" };
        return readDashboard(admin.ctx, { ...window, scope: "all", dimension: turnOf(DIMENSIONS, turn) });
      },
    },
  ];
}
