import type { Sql } from "@/db/client";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { type MinuteRows, readMinutes } from "@/lib/log-store/minute-queries";
import { parseInput } from "@/lib/validation";
import { listBuckets } from "./bucket-queries";
import { findUserId } from "./queries";
import {
  type DashboardSearch,
  dashboardSchema,
  HOURLY_WINDOW_SECONDS,
  MINUTE_WINDOW_SECONDS,
  OWN_WINDOW_SECONDS,
  type ParsedDashboardSearch,
  WINDOW_SECONDS_MAX,
} from "./schemas";
import { NO_USAGE, type SeriesPoint, subtractUsage, sumUsage, topModels } from "./series";
import { readTop, readTopIn, readTopOf } from "./span-queries";
import type { Summed } from "./spans";
import { everybodysHours, hoursOfUser, readSummed } from "./sums-queries";
import { ADMIN_DIMENSIONS, type BreakdownRow, type Dashboard, type Dimension, stepOf, type UsageTotals } from "./types";
import { HOUR_END, readEdges, startOfWindow, windowEdges } from "./window-edges";

const HOUR = 3_600;
const BREAKDOWN_ROWS = 20;

/**
 * Consumption in a window by time and model, with the previous window of equal length and a breakdown by one more
 * dimension, from the hourly sums that are booked with every charge, by minute from the log. "own" is the current user's,
 * at most a month; "all" and breakdowns by user and channel are for administrators. Throws forbidden, or invalid for a window that is
 * too long.
 */
export async function readDashboard(ctx: ServiceContext, input: DashboardSearch): Promise<Dashboard> {
  const search = parseInput(dashboardSchema, input);
  const actor = requireRole(ctx, search.scope === "all" ? ROLE.admin : ROLE.user);
  if (ADMIN_DIMENSIONS.includes(search.dimension)) requireRole(ctx, ROLE.admin);
  refuseTooLong(search);
  const readAt = nowSeconds();
  const { granularity, timeZone, dimension } = search;
  const step = stepOf(granularity);
  const from = startOfWindow(search);
  const until = Math.min(search.until, readAt + 1);
  const window = { from, until: search.until, granularity, timeZone };
  const owner = search.scope === "own" ? actor.id : await findUserId(ctx, search.username);
  const [buckets, summed] = await Promise.all([
    listBuckets(ctx.sql, { ...window, until: Math.max(until, from + 1) }),
    readSummed(ctx.sql),
  ]);
  const part: Part = { sql: ctx.sql, owner, summed, step, now: readAt };
  const [points, before, rows] = await Promise.all([
    readSeries(part, from, until, buckets),
    readCourse(part, from, Math.max(0, until - from), buckets),
    dimension === "model" ? null : readBreakdown(part, from, until, dimension),
  ]);
  const { totals, models, all } = topModels(points, buckets.length);
  const shown = rows ?? all.slice(0, BREAKDOWN_ROWS);
  return {
    window,
    buckets,
    totals,
    previous: sumUsage(before),
    before,
    minutes: Math.max(1, (until - from) / 60),
    models,
    breakdown: { dimension, rows: shown, rest: subtractUsage(totals, sumUsage(shown)) },
    readAt,
  };
}

function refuseTooLong({ scope, from, until, granularity }: ParsedDashboardSearch): void {
  // A calendar month may have a day and an hour more than the window of the API.
  const most = scope === "own" ? OWN_WINDOW_SECONDS + 26 * HOUR : WINDOW_SECONDS_MAX;
  const bySteps = { minute: MINUTE_WINDOW_SECONDS, hour: HOURLY_WINDOW_SECONDS, day: most, week: most };
  const longest = Math.min(most, bySteps[granularity]);
  if (until - from > longest) throw new AppError("invalid", "timeRangeTooLong", { days: Math.floor(longest / 86_400) });
}

/** `owner`: null = no such user, undefined = all users. `step`: 60 = from the log, 3,600 = from the sums. `now`: unix seconds. */
type Part = { sql: Sql; owner: number | null | undefined; summed: Summed; step: number; now: number };

const byMinute = ({ step }: Part) => step < HOUR;

/**
 * Consumption by hour, model and group, from the sums of finished hours and the rows after them; `hour` is a time within it. Hours in
 * which the window or one of its buckets begins or ends are cut there.
 */
async function hoursOf(part: Part, from: number, until: number, starts: readonly number[] = []) {
  const { sql, owner, summed, now } = part;
  if (byMinute(part)) {
    const window = { stretches: [{ from, until }], owner: owner ?? undefined };
    const { rows } = await readMinutes(sql, window, ["hour", "model_name", "group"]);
    return { hours: modelsOf(sql, rows) };
  }
  const edges = windowEdges(from, until, now, starts);
  const whole =
    owner === undefined || owner === null
      ? everybodysHours(sql, edges.from, edges.until, summed)
      : hoursOfUser(sql, owner, edges.from, edges.until, summed);
  const { cut } = await readEdges(sql, edges, owner ?? undefined, ["model_name", "group"]);
  const hours = sql`
    select hour + ${HOUR_END} as hour, model_name, "group", count, quota, tokens from (${whole}) whole
    ${cut ? sql`union all ${modelsOf(sql, cut)}` : sql``}`;
  return { hours };
}

function modelsOf(sql: Sql, rows: MinuteRows) {
  return sql`
    select hour, model_name, "group", count, quota, prompt_tokens + completion_tokens as tokens
    from ${rows} where count <> 0 or quota <> 0`;
}

/** Sums by bucket index (from 0) and model. Summed by hour first: there are far fewer hours than rows. */
async function readSeries(part: Part, from: number, until: number, buckets: number[]): Promise<SeriesPoint[]> {
  const { sql, owner } = part;
  if (owner === null || buckets.length === 0) return [];
  const { hours } = await hoursOf(part, from, until, buckets);
  return sql<SeriesPoint[]>`
    select greatest(width_bucket(hour, ${buckets}::bigint[]) - 1, 0) as bucket, name, sum(count)::bigint as count,
      sum(quota)::bigint as quota, sum(tokens)::bigint as tokens
    from (
      select hour, model_name as name, sum(count)::bigint as count, sum(quota)::bigint as quota,
        sum(tokens)::bigint as tokens
      from (${hours}) parts group by hour, model_name
    ) hours
    group by 1, 2 having sum(count) <> 0 or sum(quota) <> 0`;
}

/** Sums of the `span` seconds before `from`, by the buckets moved back by the same span. */
async function readCourse(part: Part, from: number, span: number, buckets: number[]): Promise<UsageTotals[]> {
  const { sql, owner, step } = part;
  const course = buckets.map(() => NO_USAGE);
  if (owner === null || span <= 0 || buckets.length === 0) return course;
  // By whole hours, so that the bars compare the same hours of the day.
  const shift = Math.ceil(span / step) * step;
  const starts = buckets.map((start) => start - shift);
  const { hours } = await hoursOf(part, from - span, from, starts);
  const rows = await sql<(UsageTotals & { bucket: number })[]>`
    select greatest(width_bucket(hour, ${starts}::bigint[]) - 1, 0) as bucket,
      sum(count)::bigint as count, sum(quota)::bigint as quota, sum(tokens)::bigint as tokens
    from (
      select hour, sum(count)::bigint as count, sum(quota)::bigint as quota, sum(tokens)::bigint as tokens
      from (${hours}) parts
      group by hour
    ) hours
    group by 1`;
  for (const { bucket, ...totals } of rows) course[bucket] = totals;
  return course;
}

type Top = UsageTotals & { key: number | string };

async function readBreakdown(
  part: Part,
  from: number,
  until: number,
  dimension: Exclude<Dimension, "model">,
): Promise<BreakdownRow[]> {
  const { sql, owner, summed, now } = part;
  if (owner === null) return [];
  // The sums of models and groups have these, and are far fewer than those of keys and channels.
  if (dimension === "group") return nameRows(sql, dimension, await readTopBy(part, sql`"group"`, from, until));
  if (dimension === "user" && owner !== undefined)
    return nameRows(sql, dimension, await readTopBy(part, sql`${owner}::int`, from, until));
  if (byMinute(part)) {
    const { rows } = await readMinutes(sql, { stretches: [{ from, until }], owner }, [`${dimension}_id`]);
    return nameRows(sql, dimension, await readTopIn(sql, rows, { dimension, rows: BREAKDOWN_ROWS }));
  }
  const edges = windowEdges(from, until, now);
  const { cut } = await readEdges(sql, edges, owner, [`${dimension}_id`]);
  const search = { dimension, from: edges.from, until: edges.until, summed, cut, rows: BREAKDOWN_ROWS };
  const top = owner === undefined ? await readTop(sql, search) : await readTopOf(sql, owner, search);
  return nameRows(sql, dimension, top);
}

async function readTopBy(part: Part, key: ReturnType<Sql>, from: number, until: number): Promise<Top[]> {
  const { sql } = part;
  const { hours } = await hoursOf(part, from, until);
  return sql<Top[]>`
    select ${key} as key, sum(count)::bigint as count, sum(quota)::bigint as quota, sum(tokens)::bigint as tokens
    from (${hours}) parts
    group by 1 having sum(count) <> 0 or sum(quota) <> 0 order by 3 desc, 2 desc, 1 limit ${BREAKDOWN_ROWS}`;
}

/** Adds labels to ids, and the owner to tokens. */
async function nameRows(
  sql: Sql,
  dimension: Exclude<Dimension, "model">,
  top: readonly Top[],
): Promise<BreakdownRow[]> {
  const keys = top.map(({ key }) => key);
  const names = dimension === "group" ? null : await readNames(sql, dimension, keys.map(Number));
  return top.map(({ key, quota, count, tokens }) => {
    const { label, owner } = names?.get(Number(key)) ?? { label: names ? "" : String(key), owner: "" };
    return { key: String(key), label, owner, count, quota, tokens };
  });
}

type Names = { id: number; label: string; owner: string };

export async function readNames(
  sql: Sql,
  dimension: "user" | "token" | "channel",
  ids: number[],
): Promise<Map<number, Names>> {
  const queries = {
    user: () => sql<Names[]>`select id, username as label, '' as owner from users where id = any(${ids})`,
    channel: () => sql<Names[]>`select id, name as label, '' as owner from channels where id = any(${ids})`,
    token: () => sql<Names[]>`
      select tokens.id, tokens.name as label, coalesce(users.username, '') as owner
      from tokens left join users on users.id = tokens.user_id where tokens.id = any(${ids})`,
  };
  return new Map((await queries[dimension]()).map((row) => [row.id, row]));
}
