import type { Sql } from "@/db/client";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { parseInput } from "@/lib/validation";
import { listBuckets } from "./bucket-queries";
import { findUserId } from "./queries";
import {
  ADMIN_DIMENSIONS,
  type DashboardSearch,
  dashboardSchema,
  HOURLY_WINDOW_SECONDS,
  OWN_WINDOW_SECONDS,
  type ParsedDashboardSearch,
  WINDOW_SECONDS_MAX,
} from "./schemas";
import { NO_USAGE, type SeriesPoint, subtractUsage, sumUsage, topModels } from "./series";
import type { BreakdownRow, Dashboard, UsageTotals } from "./types";

const HOUR = 3_600;
const BREAKDOWN_ROWS = 20;

/**
 * Consumption in a window by time and model, with the same span before it and a breakdown by one more dimension, from
 * the hourly sums that are booked with every charge. "own" is the caller's, at most 30 days; "all" and breakdowns by
 * user and channel are for administrators. Throws forbidden, or invalid for a window that is too long.
 */
export async function readDashboard(ctx: ServiceContext, input: DashboardSearch): Promise<Dashboard> {
  const search = parseInput(dashboardSchema, input);
  const actor = requireRole(ctx, search.scope === "all" ? ROLE.admin : ROLE.user);
  if (ADMIN_DIMENSIONS.includes(search.dimension)) requireRole(ctx, ROLE.admin);
  refuseTooLong(search);
  const readAt = nowSeconds();
  const { granularity, timeZone, dimension } = search;
  const from = search.from - (search.from % HOUR);
  const until = Math.min(search.until, readAt + 1);
  const window = { from, until: search.until, granularity, timeZone };
  const owner = search.scope === "own" ? actor.id : await findUserId(ctx, search.username);
  const buckets = await listBuckets(ctx.sql, { ...window, until: Math.max(until, from + 1) });
  const part = { sql: ctx.sql, owner };
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
  // An hour ahead is part of the usual window and holds nothing.
  const most = scope === "own" ? OWN_WINDOW_SECONDS + 2 * HOUR : WINDOW_SECONDS_MAX;
  const longest = granularity === "hour" ? Math.min(most, HOURLY_WINDOW_SECONDS) : most;
  if (until - from > longest) throw new AppError("invalid", "timeRangeTooLong", { days: Math.floor(longest / 86_400) });
}

/** Whose: null = nobody of that name, undefined = everybody. */
type Part = { sql: Sql; owner: number | null | undefined };

/** Sums by bucket (its place, from 0) and model. Hours are summed first: there are far fewer of them than rows. */
async function readSeries(
  { sql, owner }: Part,
  from: number,
  until: number,
  buckets: number[],
): Promise<SeriesPoint[]> {
  if (owner === null || buckets.length === 0) return [];
  return sql<SeriesPoint[]>`
    select greatest(width_bucket(hour, ${buckets}::bigint[]) - 1, 0) as bucket, name, sum(count)::bigint as count,
      sum(quota)::bigint as quota, sum(tokens)::bigint as tokens
    from (
      select hour, model_name as name, sum(count)::bigint as count, sum(quota)::bigint as quota,
        sum(prompt_tokens + completion_tokens)::bigint as tokens
      from usage_hourly where ${inWindow(sql, owner, from, until)}
      group by hour, model_name
    ) hours
    group by 1, 2`;
}

/** Sums of the `span` seconds that end at `from`, by the buckets moved back as far. */
async function readCourse({ sql, owner }: Part, from: number, span: number, buckets: number[]): Promise<UsageTotals[]> {
  const course = buckets.map(() => NO_USAGE);
  if (owner === null || span <= 0 || buckets.length === 0) return course;
  // The sums are by the hour: a span of half hours would else lose the last one.
  const shift = Math.ceil(span / HOUR) * HOUR;
  const rows = await sql<(UsageTotals & { bucket: number })[]>`
    select greatest(width_bucket(hour, ${buckets.map((start) => start - shift)}::bigint[]) - 1, 0) as bucket,
      sum(count)::bigint as count, sum(quota)::bigint as quota, sum(tokens)::bigint as tokens
    from (
      select hour, sum(count)::bigint as count, sum(quota)::bigint as quota,
        sum(prompt_tokens + completion_tokens)::bigint as tokens
      from usage_hourly where ${inWindow(sql, owner, from - span, from)}
      group by hour
    ) hours
    group by 1`;
  for (const { bucket, ...totals } of rows) course[bucket] = totals;
  return course;
}

/** Columns and joins by dimension; nothing here comes from outside. */
const BREAKDOWNS = {
  group: { key: '"group"', label: "top.key", owner: "''", joins: "" },
  user: { key: "user_id", label: "users.username", owner: "''", joins: "left join users on users.id = top.key" },
  channel: {
    key: "channel_id",
    label: "channels.name",
    owner: "''",
    joins: "left join channels on channels.id = top.key",
  },
  token: {
    key: "token_id",
    label: "tokens.name",
    owner: "users.username",
    joins: "left join tokens on tokens.id = top.key left join users on users.id = tokens.user_id",
  },
} as const;

async function readBreakdown(
  { sql, owner }: Part,
  from: number,
  until: number,
  dimension: keyof typeof BREAKDOWNS,
): Promise<BreakdownRow[]> {
  if (owner === null) return [];
  const parts = BREAKDOWNS[dimension];
  return sql<BreakdownRow[]>`
    select top.key::text as key, coalesce(${sql.unsafe(parts.label)}, '') as label,
      coalesce(${sql.unsafe(parts.owner)}, '') as owner, top.count, top.quota, top.tokens
    from (
      select ${sql.unsafe(parts.key)} as key, sum(count)::bigint as count, sum(quota)::bigint as quota,
        sum(prompt_tokens + completion_tokens)::bigint as tokens
      from usage_hourly where ${inWindow(sql, owner, from, until)}
      group by 1 order by 3 desc, 2 desc, 1 limit ${BREAKDOWN_ROWS}
    ) top ${sql.unsafe(parts.joins)}
    order by top.quota desc, top.count desc, top.key`;
}

function inWindow(sql: Sql, owner: number | undefined, from: number, until: number) {
  const whose = owner === undefined ? sql`` : sql`and user_id = ${owner}`;
  return sql`hour >= ${from}::bigint and hour < ${until}::bigint ${whose}`;
}
