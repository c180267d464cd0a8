import type { Sql } from "@/db/client";
import { ALL_CHANNELS, TOTALS_SQL } from "./attempts-sql";
import { deleteOldSums, type HourlySums, sumFinishedHours, summedUntilOf } from "./hourly-sums-commands";
import { attemptSums } from "./live-sums-queries";

const CHANNEL_SUMS: HourlySums = {
  job: "channel-health",
  firstWindowSeconds: 31 * 86_400,
  keptSeconds: 35 * 86_400,
  async deleteHours(sql, until, hours) {
    const gone = await sql`
      delete from channel_hourly where hour < least(${until}, (select min(hour) from channel_hourly) + ${hours * 3_600})`;
    return gone.count;
  },
  readHour: (sql, hour, until) => attemptSums(sql, hour, until),
  async writeHour(tx, hour, { text, parameters }) {
    await tx`delete from channel_hourly where hour = ${hour}`;
    await tx.unsafe(
      `insert into channel_hourly (hour, channel_id, model_name, outcome, count, quota, use_time_ms, latency_buckets,
        first_token_buckets, bad_events) ${text}`,
      parameters,
    );
    await tx.unsafe(
      `insert into channel_hourly (hour, channel_id, model_name, outcome, count, quota, use_time_ms, latency_buckets,
        first_token_buckets, bad_events) select hour, ${ALL_CHANNELS}, '', outcome, ${TOTALS_SQL}
      from channel_hourly where hour = $1 group by hour, outcome`,
      [hour],
    );
  },
};

/**
 * Sums finished hours of the usage log into channel_hourly, each hour once; returns the number of hours summed. Hours
 * not summed yet are read from the log itself (queries.ts), so the figures shown are always current.
 */
export function rollUpChannelHealth(sql: Sql, nowSeconds: number): Promise<number> {
  return sumFinishedHours(sql, CHANNEL_SUMS, nowSeconds);
}

/** Deletes sums that are too old; returns the number of rows. */
export function deleteOldChannelHealth(sql: Sql, nowSeconds: number): Promise<number> {
  return deleteOldSums(sql, CHANNEL_SUMS, nowSeconds);
}

/** The time (unix seconds) up to which the sums are complete; 0 = nothing summed yet. */
export function summedUntil(sql: Sql): Promise<number> {
  return summedUntilOf(sql, CHANNEL_SUMS.job);
}
