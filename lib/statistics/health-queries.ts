import type { Sql } from "@/db/client";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { ALL_CHANNELS, TOTALS_SQL } from "@/lib/health/attempts-sql";
import { attemptSums } from "@/lib/health/live-sums-queries";
import { summedUntil } from "@/lib/health/rollup-commands";
import { summariseHealth } from "@/lib/health/summarise";
import type { Health, HealthRow } from "@/lib/health/types";
import { listBuckets } from "./bucket-queries";
import { MINUTE_WINDOW_SECONDS } from "./schemas";
import { type Granularity, stepOf } from "./types";

const HOUR = 3_600;
const DAY = 86_400;
/** How far back channel_hourly is queried elsewhere. */
export const HEALTH_WINDOW_SECONDS = 31 * 86_400 + 2 * HOUR;
/** Limits the live part, which covers the hours that the job has not summed, e.g. because it is stopped. */
const LIVE_SECONDS_MAX = 6 * HOUR;

type HealthSearch = { from: number; until: number; granularity: Granularity; timeZone: string };

export type HealthPoint = { bucket: number } & Health;
export type HealthSeries = {
  total: Health;
  points: HealthPoint[];
  /** Hours (unix seconds) that are not included yet, because the job that sums them is behind. */
  missing: { from: number; until: number } | null;
};

/**
 * Results and durations of the attempts at all channels, by time (administrators). Aggregated in the database: by hour
 * and outcome there are few rows, by channel and model there may be millions. By minute it is read from the log. Throws
 * invalid beyond 31 days, by minute beyond two hours.
 */
export async function readHealthSeries(ctx: ServiceContext, search: HealthSearch): Promise<HealthSeries> {
  requireRole(ctx, ROLE.admin);
  const byMinute = search.granularity === "minute";
  const from = search.from - (search.from % stepOf(search.granularity));
  const until = Math.min(search.until, nowSeconds() + 1);
  const longest = byMinute ? MINUTE_WINDOW_SECONDS : HEALTH_WINDOW_SECONDS;
  if (until - from > longest) throw new AppError("invalid", "timeRangeTooLong", { days: Math.floor(longest / DAY) });
  // The log has all of a window by minute; the sums have what is before their job's position.
  const summed = byMinute ? from : await summedUntil(ctx.sql);
  const liveFrom = Math.max(from, summed, until - LIVE_SECONDS_MAX);
  const [buckets, rows] = await Promise.all([
    listBuckets(ctx.sql, { ...search, from, until: Math.max(until, from + 1) }),
    readHours(ctx.sql, { from, liveFrom, until, step: byMinute ? 60 : HOUR }),
  ]);
  const byBucket = new Map<number, HealthRow[]>();
  for (const row of rows) {
    const bucket = bucketOf(buckets, row.hour);
    const known = byBucket.get(bucket);
    if (known) known.push(row);
    else byBucket.set(bucket, [row]);
  }
  return {
    total: summariseHealth(rows),
    points: buckets.map((bucket) => ({ bucket, ...summariseHealth(byBucket.get(bucket) ?? []) })),
    missing: Math.max(from, summed) < liveFrom ? { from: Math.max(from, summed), until: liveFrom } : null,
  };
}

/** The bucket of an hour: the last one that begins at or before it. */
function bucketOf(buckets: readonly number[], hour: number): number {
  return buckets.findLast((start) => start <= hour) ?? buckets[0] ?? hour;
}

type Stretches = { from: number; liveFrom: number; until: number; step: 60 | 3_600 };

async function readHours(sql: Sql, { from, liveFrom, until, step }: Stretches): Promise<HealthRow[]> {
  const sums = await attemptSums(sql, liveFrom, Math.max(until, liveFrom), step);
  const columns = `hour, 0 as "channelId", '' as "modelName", outcome, count, quota, use_time_ms as "useTimeMs",
    latency_buckets as "latencyBuckets", first_token_buckets as "firstTokenBuckets", bad_events as "badEvents"`;
  const [past, live] = await Promise.all([
    sql.unsafe<HealthRow[]>(
      `select ${columns} from channel_hourly where channel_id = ${ALL_CHANNELS} and hour >= $1::bigint and hour < $2::bigint`,
      [from, Math.min(until, liveFrom)],
    ),
    sql.unsafe<HealthRow[]>(
      `select ${columns} from (
        select hour, outcome, ${TOTALS_SQL} from (${sums.text}) live group by hour, outcome
      ) hours`,
      sums.parameters,
    ),
  ]);
  return [...past, ...live];
}
