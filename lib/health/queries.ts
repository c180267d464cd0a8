import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { ALL_CHANNELS } from "./attempts-sql";
import { attemptSums } from "./live-sums-queries";
import { summedUntil } from "./rollup-commands";
import { summariseHealth } from "./summarise";
import type { Health, HealthRow } from "./types";

const HOUR_SECONDS = 3_600;
/** Longest window that may be requested. */
const WINDOW_SECONDS_MAX = 31 * 86_400;
/** Limits how much is read live from the usage log when the rollup job has stopped. */
const LIVE_SECONDS_MAX = 6 * HOUR_SECONDS;

export type HealthWindow = {
  /** Unix seconds; rounded down to the full hour. */
  from: number;
  until?: number;
  channelId?: number;
  /** Only these channels; undefined = all. */
  channelIds?: readonly number[];
};

/**
 * Attempts by hour, channel, model and outcome (administrators only). Finished hours come from channel_hourly, the
 * latest ones from the usage log. Throws "invalid" for a window of more than 31 days.
 */
export async function listHealth(ctx: ServiceContext, input: HealthWindow): Promise<HealthRow[]> {
  requireRole(ctx, ROLE.admin);
  const until = input.until ?? nowSeconds() + 1;
  const from = input.from - (input.from % HOUR_SECONDS);
  if (!(from <= until)) throw new AppError("invalid", "timeRangeInvalid");
  if (until - from > WINDOW_SECONDS_MAX) throw new AppError("invalid", "timeRangeTooLong", { days: 31 });
  const { sql } = ctx;
  const channels = input.channelId === undefined ? (input.channelIds ?? null) : [input.channelId];
  const summed = await summedUntil(sql);
  const liveFrom = Math.max(from, summed, until - LIVE_SECONDS_MAX);
  const sums = await attemptSums(sql, liveFrom, Math.max(until, liveFrom));
  const [past, live] = await Promise.all([
    sql<HealthRow[]>`
      select hour, channel_id as "channelId", model_name as "modelName", outcome, count, quota,
        use_time_ms as "useTimeMs", latency_buckets as "latencyBuckets", first_token_buckets as "firstTokenBuckets", bad_events as "badEvents"
      from channel_hourly
      where hour >= ${from} and hour < ${Math.min(until, liveFrom)}
        and ${channels === null ? sql`channel_id <> ${ALL_CHANNELS}` : sql`channel_id = any(${[...channels]}::int[])`}`,
    sql.unsafe<HealthRow[]>(
      `select hour, channel_id as "channelId", model_name as "modelName", outcome, count, quota,
        use_time_ms as "useTimeMs", latency_buckets as "latencyBuckets", first_token_buckets as "firstTokenBuckets", bad_events as "badEvents"
      from (${sums.text}) live where $3::int[] is null or channel_id = any($3::int[])`,
      [...sums.parameters, channels === null ? null : [...channels]],
    ),
  ]);
  return [...past, ...live];
}

/** One summary per channel (administrators only); channels without requests in the window are left out. */
export async function summariseChannels(ctx: ServiceContext, window: HealthWindow): Promise<Map<number, Health>> {
  const rows = new Map<number, HealthRow[]>();
  for (const row of await listHealth(ctx, window)) {
    const known = rows.get(row.channelId);
    if (known) known.push(row);
    else rows.set(row.channelId, [row]);
  }
  return new Map([...rows].map(([id, own]) => [id, summariseHealth(own)]));
}
