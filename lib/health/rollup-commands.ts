import type { Sql } from "@/db/client";
import { ALL_CHANNELS, SUMS_SQL, TOTALS_SQL } from "./attempts-sql";

const JOB = "channel-health";
const HOUR_SECONDS = 3_600;
/** How long to wait after an hour ends: its last settlements may be written late, most of all after a database outage. */
const SETTLED_AFTER_SECONDS = 600;
/** How far back the first run goes on a system that has logs but no sums yet. */
const FIRST_WINDOW_SECONDS = 31 * 86_400;
/** Limit per run, so that the job can be stopped; the next run continues from the stored position. */
const HOURS_PER_RUN = 48;

/**
 * Sums finished hours of the usage log into channel_hourly, each hour once; returns the number of hours summed. Hours
 * not summed yet are read from the log itself (queries.ts), so the figures shown are always current.
 */
export async function rollUpChannelHealth(sql: Sql, nowSeconds: number): Promise<number> {
  const [position] = await sql<{ position: number }[]>`select position from job_positions where job = ${JOB}`;
  const last = startOfHour(nowSeconds - SETTLED_AFTER_SECONDS);
  const first = position?.position ?? (await firstHour(sql, nowSeconds)) ?? last;
  let done = 0;
  for (let hour = first; hour < last && done < HOURS_PER_RUN; hour += HOUR_SECONDS, done++) {
    await sumHour(sql, hour);
  }
  return done;
}

async function sumHour(sql: Sql, hour: number): Promise<void> {
  const until = hour + HOUR_SECONDS;
  await sql.begin(async (tx) => {
    await tx`delete from channel_hourly where hour = ${hour}`;
    await tx.unsafe(
      `insert into channel_hourly (hour, channel_id, model_name, outcome, count, quota, use_time_ms, latency_buckets,
        first_token_buckets, bad_events) ${SUMS_SQL}`,
      [hour, until],
    );
    await tx.unsafe(
      `insert into channel_hourly (hour, channel_id, model_name, outcome, count, quota, use_time_ms, latency_buckets,
        first_token_buckets, bad_events) select hour, ${ALL_CHANNELS}, '', outcome, ${TOTALS_SQL}
      from channel_hourly where hour = $1 group by hour, outcome`,
      [hour],
    );
    await tx`
      insert into job_positions (job, position) values (${JOB}, ${until})
      on conflict (job) do update set position = excluded.position, updated_at = floor(extract(epoch from now()))::bigint`;
  });
}

/** The first hour with log rows, at most FIRST_WINDOW_SECONDS ago; null without rows. */
async function firstHour(sql: Sql, nowSeconds: number): Promise<number | null> {
  const [row] = await sql<{ at: number | null }[]>`
    select min(created_at) as at from usage_logs where created_at >= ${nowSeconds - FIRST_WINDOW_SECONDS}`;
  return row?.at == null ? null : startOfHour(row.at);
}

function startOfHour(seconds: number): number {
  return seconds - (seconds % HOUR_SECONDS);
}

/** The time (unix seconds) up to which the sums are complete; 0 = nothing summed yet. */
export async function summedUntil(sql: Sql): Promise<number> {
  const [row] = await sql<{ position: number }[]>`select position from job_positions where job = ${JOB}`;
  return row?.position ?? 0;
}
