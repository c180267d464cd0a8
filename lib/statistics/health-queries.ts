import type { Sql } from "@/db/client";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { ALL_CHANNELS, SUMS_SQL, TOTALS_SQL } from "@/lib/health/attempts-sql";
import { summedUntil } from "@/lib/health/rollup-commands";
import { summariseHealth } from "@/lib/health/summarise";
import type { Health, HealthRow } from "@/lib/health/types";
import { listBuckets } from "./bucket-queries";
import type { Granularity } from "./schemas";

const HOUR = 3_600;
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
 * and outcome there are few rows, by channel and model there may be millions. Throws invalid beyond 31 days.
 */
export async function readHealthSeries(ctx: ServiceContext, search: HealthSearch): Promise<HealthSeries> {
  requireRole(ctx, ROLE.admin);
  const from = search.from - (search.from % HOUR);
  const until = Math.min(search.until, nowSeconds() + 1);
  if (until - from > HEALTH_WINDOW_SECONDS) throw new AppError("invalid", "timeRangeTooLong", { days: 31 });
  const summed = await summedUntil(ctx.sql);
  const liveFrom = Math.max(from, summed, until - LIVE_SECONDS_MAX);
  const [buckets, rows] = await Promise.all([
    listBuckets(ctx.sql, { ...search, from, until: Math.max(until, from + 1) }),
    readHours(ctx.sql, from, liveFrom, until),
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

async function readHours(sql: Sql, from: number, liveFrom: number, until: number): Promise<HealthRow[]> {
  const columns = `hour, 0 as "channelId", '' as "modelName", outcome, count, quota, use_time_ms as "useTimeMs",
    latency_buckets as "latencyBuckets", first_token_buckets as "firstTokenBuckets", bad_events as "badEvents"`;
  const [past, live] = await Promise.all([
    sql.unsafe<HealthRow[]>(
      `select ${columns} from channel_hourly where channel_id = ${ALL_CHANNELS} and hour >= $1::bigint and hour < $2::bigint`,
      [from, Math.min(until, liveFrom)],
    ),
    sql.unsafe<HealthRow[]>(
      `select ${columns} from (
        select hour, outcome, ${TOTALS_SQL} from (${SUMS_SQL}) live group by hour, outcome
      ) hours`,
      [liveFrom, Math.max(until, liveFrom)],
    ),
  ]);
  return [...past, ...live];
}
