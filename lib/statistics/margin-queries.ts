import { z } from "zod";
import type { Sql } from "@/db/client";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { parseInput } from "@/lib/validation";
import { listBuckets } from "./bucket-queries";
import { readNames } from "./dashboard-queries";
import {
  MARGIN_DIMENSIONS,
  type MarginDimension,
  type MarginReport,
  type MarginRow,
  type MarginTotals,
} from "./margin-types";
import { GRANULARITIES, HOURLY_WINDOW_SECONDS, isTimeZone, WINDOW_SECONDS_MAX } from "./schemas";
import { readTop } from "./span-queries";
import { coverWindow, type Stretch, type Summed } from "./spans";
import { readSummed } from "./sums-queries";

const HOUR = 3_600;
const ROWS_SHOWN = 50;
const ROWS_EXPORTED = 10_000;

const moment = z.number("timeRangeInvalid").int("timeRangeInvalid").min(0, "timeRangeInvalid");
const searchSchema = z
  .object({
    /** Unix seconds; `from` is rounded down to the hour, `until` is exclusive. */
    from: moment,
    until: moment,
    granularity: z.enum(GRANULARITIES),
    timeZone: z.string().refine(isTimeZone, "timeZoneUnknown"),
    dimension: z.enum(MARGIN_DIMENSIONS),
  })
  .refine(({ from, until }) => until > from, { message: "timeRangeInvalid" });
export type MarginSearch = z.input<typeof searchSchema>;

export const NO_MARGIN: MarginTotals = { count: 0, sold: 0, bought: 0, unbilled: 0, unknown: 0 };

/**
 * What was sold and bought in a window, by time and by channel, model or API key, from the hourly sums. For
 * administrators. Throws forbidden, or invalid for a window that is too long.
 */
export async function readMargin(ctx: ServiceContext, input: MarginSearch): Promise<MarginReport> {
  const { search, part } = await prepare(ctx, input);
  const { granularity, timeZone, dimension } = search;
  const window = { from: part.from, until: search.until, granularity, timeZone };
  const buckets = await listBuckets(ctx.sql, { ...window, until: Math.max(part.until, part.from + 1) });
  const [points, rows] = await Promise.all([readCourse(part, buckets), readShownRows(part, dimension)]);
  const totals = points.reduce(addMargin, NO_MARGIN);
  const rest = subtractMargin(totals, rows.reduce<MarginTotals>(addMargin, NO_MARGIN));
  return { window, buckets, points, totals, dimension, rows, rest };
}

/** All rows of a dimension, for an export. Throws like readMargin. */
export async function listMarginRows(ctx: ServiceContext, input: MarginSearch): Promise<MarginRow[]> {
  const { search, part } = await prepare(ctx, input);
  return readRows(part, search.dimension, { limit: ROWS_EXPORTED, keys: null });
}

type Part = { sql: Sql; from: number; until: number; summed: Summed };

async function prepare(ctx: ServiceContext, input: MarginSearch) {
  requireRole(ctx, ROLE.admin);
  const search = parseInput(searchSchema, input);
  const { from, until, granularity } = search;
  const longest = granularity === "hour" ? HOURLY_WINDOW_SECONDS : WINDOW_SECONDS_MAX;
  if (until - from > longest) throw new AppError("invalid", "timeRangeTooLong", { days: Math.floor(longest / 86_400) });
  const summed = await readSummed(ctx.sql);
  const part: Part = { sql: ctx.sql, from: from - (from % HOUR), until: Math.min(until, nowSeconds() + 1), summed };
  return { search, part };
}

function addMargin(a: MarginTotals, b: MarginTotals): MarginTotals {
  return {
    count: a.count + b.count,
    sold: a.sold + b.sold,
    bought: a.bought + b.bought,
    unbilled: a.unbilled + b.unbilled,
    unknown: a.unknown + b.unknown,
  };
}

function subtractMargin(a: MarginTotals, b: MarginTotals): MarginTotals {
  return {
    count: a.count - b.count,
    sold: a.sold - b.sold,
    bought: a.bought - b.bought,
    unbilled: a.unbilled - b.unbilled,
    unknown: a.unknown - b.unknown,
  };
}

/** The same sums of usage_hourly, usage_model_hours and usage_spans, under the names of MarginTotals. */
function figures(sql: Sql) {
  return sql`
    sum(count)::bigint as count, sum(quota)::bigint as sold, sum(cost)::bigint as bought,
    sum(unbilled_cost)::bigint as unbilled, sum(coalesce(unknown_costs, count))::bigint as unknown`;
}

/** By hour and model: from the sums up to the job's position, after it from the rows that are booked with every charge. */
function modelHours({ sql, from, until, summed }: Part) {
  const sums = sql`
    select hour, model_name, count, quota, cost, unbilled_cost, unknown_costs from usage_model_hours
    where hour >= ${from}::bigint and hour < ${Math.min(until, summed.until)}::bigint`;
  if (until <= summed.until) return sums;
  return sql`
    ${sums} union all
    select hour, model_name, count, quota, cost, unbilled_cost, unknown_costs from usage_hourly
    where hour >= ${Math.max(from, summed.until)}::bigint and hour < ${until}::bigint`;
}

async function readCourse(part: Part, buckets: number[]): Promise<MarginTotals[]> {
  const { sql } = part;
  const course = buckets.map(() => NO_MARGIN);
  if (buckets.length === 0) return course;
  const rows = await sql<(MarginTotals & { bucket: number })[]>`
    select greatest(width_bucket(hour, ${buckets}::bigint[]) - 1, 0) as bucket, ${figures(sql)}
    from (${modelHours(part)}) hours group by 1`;
  for (const { bucket, ...totals } of rows) course[bucket] = totals;
  return course;
}

const COLUMNS = { token: "token_id", channel: "channel_id" } as const;

/** There can be any number of API keys: only those that sold most are read. */
async function readShownRows(part: Part, dimension: MarginDimension): Promise<MarginRow[]> {
  const limit = ROWS_SHOWN;
  if (dimension !== "token") return readRows(part, dimension, { limit, keys: null });
  const top = await readTop(part.sql, { ...part, dimension, rows: limit });
  return readRows(part, dimension, { limit, keys: top.map(({ key }) => key) });
}

type Choice = { limit: number /** Null = all. */; keys: number[] | null };

async function readRows(part: Part, dimension: MarginDimension, { limit, keys }: Choice): Promise<MarginRow[]> {
  const { sql } = part;
  const parts = dimension === "model" ? modelHours(part) : spansOf(part, dimension);
  const key = dimension === "model" ? sql`model_name` : sql`key`;
  // Most first, by whichever is more: a channel that only costs must not be hidden by those that sell.
  const rows = await sql<(MarginTotals & { key: string })[]>`
    select ${key}::text as key, ${figures(sql)} from (${parts}) parts ${keys ? sql`where key = any(${keys}::int[])` : sql``}
    group by 1 order by greatest(sum(quota), sum(cost)) desc, 2 desc, 1 limit ${limit}`;
  if (dimension === "model") return rows.map((row) => ({ ...row, label: row.key, owner: "" }));
  const names = await readNames(
    sql,
    dimension,
    rows.map(({ key }) => Number(key)),
  );
  return rows.map((row) => {
    const { label = "", owner = "" } = names.get(Number(row.key)) ?? {};
    return { ...row, label, owner };
  });
}

/** Whole spans from their sums, the ends of the window from the hours. */
function spansOf({ sql, from, until, summed }: Part, dimension: keyof typeof COLUMNS) {
  const { spans, rest } = coverWindow(from, until, summed);
  const ends = rest.reduce(
    (all, stretch) => sql`${all} union all ${hoursOf(sql, dimension, stretch)}`,
    sql`
      select key, count, quota, cost, unbilled_cost, unknown_costs from usage_spans
      join unnest(${spans.map(({ hours }) => hours)}::int[], ${spans.map(({ start }) => start)}::bigint[])
        as given (hours, start) using (hours, start)
      where dimension = ${dimension}`,
  );
  return ends;
}

function hoursOf(sql: Sql, dimension: keyof typeof COLUMNS, { from, until }: Stretch) {
  return sql`
    select ${sql(COLUMNS[dimension])} as key, count, quota, cost, unbilled_cost, unknown_costs
    from usage_hourly where hour >= ${from}::bigint and hour < ${until}::bigint`;
}
