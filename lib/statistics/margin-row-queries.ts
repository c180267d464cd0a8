import type { Sql } from "@/db/client";
import { parseObject } from "@/lib/audit/difference";
import { type MinuteColumn, type MinuteRows, readMinutes } from "@/lib/log-store/minute-queries";
import { readSetting } from "@/lib/snapshot/channel-setting";
import { listBuckets } from "./bucket-queries";
import { readNames } from "./dashboard-queries";
import {
  type ChannelTerms,
  type LossReport,
  type LossRow,
  type MarginDimension,
  type MarginRow,
  type MarginTotals,
  NO_MARGIN,
} from "./margin-types";
import { spanRows } from "./span-queries";
import { coverWindow, type Stretch, type Summed } from "./spans";
import { HOUR_END, readEdges, windowEdges } from "./window-edges";

const HOUR = 3_600;

/** A window whose beginning is rounded, read in steps: of an hour from the sums, of a minute from the log. `now`: unix seconds. */
export type MarginPart = { sql: Sql; from: number; until: number; summed: Summed; step: number; now: number };

export const isByMinute = ({ step }: MarginPart): boolean => step < HOUR;

/** Sums under the names of MarginTotals; usage_hourly and all tables of its sums that have costs name their columns alike. */
function figures(sql: Sql) {
  return sql`
    sum(count)::bigint as count, sum(quota)::bigint as sold, sum(cost)::bigint as bought,
    sum(unbilled_cost)::bigint as unbilled, sum(coalesce(unknown_costs, count))::bigint as unknown`;
}

/**
 * The rows that are booked with every charge, or by minute the log with the same columns, of which those of `by` can be
 * relied on.
 */
export async function bookedRows(part: MarginPart, { from, until }: Stretch, by: readonly MinuteColumn[]) {
  const { sql } = part;
  if (isByMinute(part)) return readMinutes(sql, { stretches: [{ from, until }] }, by);
  return { rows: sql`(select * from usage_hourly where hour >= ${from}::bigint and hour < ${until}::bigint) hours` };
}

/** The window in whole hours, and the rows of hours that the window or a bucket cuts. By minute nothing is cut. */
export async function cutWindow(part: MarginPart, by: readonly MinuteColumn[], starts: readonly number[] = []) {
  const { sql, from, until, now } = part;
  if (isByMinute(part)) return { whole: { from, until }, cut: null };
  const edges = windowEdges(from, until, now, starts);
  return { whole: { from: edges.from, until: edges.until }, ...(await readEdges(sql, edges, undefined, by)) };
}

/** By hour and model: from the sums up to the job's position, after it from the booked rows; `hour` is a time within it. */
async function modelHours(part: MarginPart, starts: readonly number[] = []) {
  const { sql, summed } = part;
  const figures = sql`model_name, count, quota, cost, unbilled_cost, unknown_costs`;
  const { whole, cut } = await cutWindow(part, ["model_name"], starts);
  const { from, until } = whole;
  const after = isByMinute(part) ? from : Math.max(from, summed.until);
  const { rows } = await bookedRows(part, { from: after, until }, ["hour", "model_name"]);
  if (isByMinute(part)) return { hours: sql`select hour, ${figures} from ${rows}` };
  const edges = cut ? sql`union all select hour, ${figures} from ${cut}` : sql``;
  const sums = sql`
    select hour + ${HOUR_END} as hour, ${figures} from usage_model_hours
    where hour >= ${from}::bigint and hour < ${Math.min(until, summed.until)}::bigint ${edges}`;
  if (until <= summed.until) return { hours: sums };
  return { hours: sql`${sums} union all select hour + ${HOUR_END}, ${figures} from ${rows}` };
}

/** A sum for each bucket, whose starts are in order. */
export async function readMarginCourse(part: MarginPart, buckets: number[]): Promise<MarginTotals[]> {
  const { sql } = part;
  const course = buckets.map(() => NO_MARGIN);
  if (buckets.length === 0) return course;
  const { hours } = await modelHours(part, buckets);
  const rows = await sql<(MarginTotals & { bucket: number })[]>`
    select greatest(width_bucket(hour, ${buckets}::bigint[]) - 1, 0) as bucket, ${figures(sql)}
    from (${hours}) hours group by 1`;
  for (const { bucket, ...totals } of rows) course[bucket] = totals;
  return course;
}

/** The days of the window in a time zone that have anything, the last first. */
export async function readDays(part: MarginPart, timeZone: string): Promise<MarginRow[]> {
  const { sql, from, until } = part;
  const starts = await listBuckets(sql, { from, until: Math.max(until, from + 1), granularity: "day", timeZone });
  const days = await readMarginCourse(part, starts);
  const date = new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" });
  const rows = starts.map((start, place) => {
    const totals = days[place] ?? NO_MARGIN;
    return { ...totals, key: String(start), label: date.format(start * 1_000), owner: "" };
  });
  return rows.filter((row) => !isEmpty(row)).reverse();
}

const isEmpty = ({ count, sold, bought, unbilled, unknown }: MarginTotals) =>
  count === 0 && sold === 0 && bought === 0 && unbilled === 0 && unknown === 0;

const COLUMNS = { user: "user_id", token: "token_id", channel: "channel_id" } as const;

type Choice = { limit: number /** Null = all. */; keys: number[] | null };

/** Rows of a dimension, those that sold or cost most first. */
export async function readMarginRows(
  part: MarginPart,
  dimension: Exclude<MarginDimension, "day">,
  { limit, keys }: Choice,
): Promise<MarginRow[]> {
  const { sql } = part;
  const { hours } = dimension === "model" ? await modelHours(part) : await spansOf(part, dimension);
  const key = dimension === "model" ? sql`model_name` : sql`key`;
  // Most first, by whichever is more: a channel that only costs must not be hidden by those that sell.
  const rows = await sql<(MarginTotals & { key: string })[]>`
    select ${key}::text as key, ${figures(sql)} from (${hours}) parts ${keys ? sql`where key = any(${keys}::int[])` : sql``}
    group by 1 order by greatest(sum(quota), sum(cost)) desc, 2 desc, 1 limit ${limit}`;
  if (dimension === "model") return rows.map((row) => ({ ...row, label: row.key, owner: "" }));
  const ids = rows.map((row) => Number(row.key));
  const [names, terms] = await Promise.all([
    readNames(sql, dimension, ids),
    dimension === "channel" ? readTerms(sql, ids) : new Map<number, ChannelTerms>(),
  ]);
  return rows.map((row) => {
    const { label = "", owner = "" } = names.get(Number(row.key)) ?? {};
    const own = terms.get(Number(row.key));
    return { ...row, label, owner, ...(own ? { terms: own } : {}) };
  });
}

/** Whole spans from their sums, the ends of the window from the hours. */
async function spansOf(part: MarginPart, dimension: keyof typeof COLUMNS) {
  const { sql, from, until, summed } = part;
  if (isByMinute(part)) return stretchOf(part, dimension, { from, until });
  const { whole, cut } = await cutWindow(part, [COLUMNS[dimension]]);
  const { spans, rest } = coverWindow(whole.from, whole.until, summed);
  const stretches = await Promise.all(rest.map((stretch) => stretchOf(part, dimension, stretch)));
  if (cut) stretches.push(keyed(sql, dimension, cut));
  const hours = stretches.reduce(
    (all, stretch) => sql`${all} union all ${stretch.hours}`,
    sql`
      select key, count, quota, cost, unbilled_cost, unknown_costs from usage_spans join ${spanRows(sql, spans)} using (hours, start)
      where dimension = ${dimension}`,
  );
  return { hours };
}

async function stretchOf(part: MarginPart, dimension: keyof typeof COLUMNS, stretch: Stretch) {
  const { sql } = part;
  const column = COLUMNS[dimension];
  return keyed(sql, dimension, (await bookedRows(part, stretch, [column])).rows);
}

function keyed(sql: Sql, dimension: keyof typeof COLUMNS, rows: MinuteRows) {
  return {
    hours: sql`
      select ${sql(COLUMNS[dimension])} as key, count, quota, cost, unbilled_cost, unknown_costs from ${rows}`,
  };
}

async function readTerms(sql: Sql, ids: number[]): Promise<Map<number, ChannelTerms>> {
  const rows = await sql<{ id: number; setting: string }[]>`select id, setting from channels where id = any(${ids})`;
  return new Map(rows.map(({ id, setting }) => [id, toTerms(setting)]));
}

function toTerms(setting: string): ChannelTerms {
  const { factor, prices } = readSetting(parseObject(setting) ?? {}).cost;
  return { factor, ownPrices: Object.keys(prices).length };
}

/** By channel and model: whole spans from their sums, the ends of the window from the hours. */
async function channelModels(part: MarginPart) {
  const { sql, summed } = part;
  const by = ["channel_id", "model_name"] as const;
  const columns = sql`channel_id, model_name, count, quota, cost, unbilled_cost, unknown_costs`;
  if (isByMinute(part)) return { parts: sql`select ${columns} from ${(await bookedRows(part, part, by)).rows}` };
  const { whole, cut } = await cutWindow(part, by);
  const { spans, rest } = coverWindow(whole.from, whole.until, { ...summed, until: summed.channelModelsUntil });
  const ends = await Promise.all(rest.map((stretch) => bookedRows(part, stretch, by)));
  const parts = [...ends.map(({ rows }) => rows), ...(cut ? [cut] : [])].reduce(
    (all, rows) => sql`${all} union all select ${columns} from ${rows}`,
    // `offset 0` keeps the planner from making a join of it, for which it would read the whole table.
    sql`
      select ${columns} from ${spanRows(sql, spans)} cross join lateral (
        select ${columns} from usage_channel_model_spans where hours = given.hours and start = given.start offset 0) span`,
  );
  return { parts };
}

/** Models at channels with a higher cost than charge. */
export async function readLosses(part: MarginPart, limit: number): Promise<LossReport> {
  const { sql, from, until } = part;
  const { parts } = await channelModels(part);
  const rows = await sql<(LossRow & { all: number; loss: number })[]>`
    with losses as (
      select channel_id, model_name, ${figures(sql)} from (${parts}) parts
      group by channel_id, model_name having sum(cost) > sum(quota))
    select losses.channel_id as "channelId", coalesce(channels.name, '') as "channelName", model_name as "modelName",
      count, sold, bought, unbilled, unknown, count(*) over ()::int as all, sum(bought - sold) over ()::bigint as loss
    from losses left join channels on channels.id = losses.channel_id
    order by bought - sold desc, 1, 3 limit ${limit}`;
  return {
    from,
    until,
    rows: rows.map(({ all: _all, loss: _loss, ...row }) => row),
    count: rows[0]?.all ?? 0,
    loss: rows[0]?.loss ?? 0,
  };
}
