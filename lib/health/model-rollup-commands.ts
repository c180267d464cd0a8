import type { Sql } from "@/db/client";
import { MODEL_SUMS_SQL } from "./requests-sql";

const JOB = "model-health";
const HOUR_SECONDS = 3_600;
/** How long to wait after an hour ends: its last settlements may be written late. */
const SETTLED_AFTER_SECONDS = 600;
/** How far back the first run goes. */
const FIRST_WINDOW_SECONDS = 90 * 86_400;
/** Limit per run, so that the job can be stopped; the next run continues from the stored position. */
const HOURS_PER_RUN = 48;

/** Sums finished hours of the usage log into model_hourly, each hour once; returns the number of hours summed. */
export async function rollUpModelHealth(sql: Sql, nowSeconds: number): Promise<number> {
  const stored = await modelsSummedUntil(sql);
  const last = startOfHour(nowSeconds - SETTLED_AFTER_SECONDS);
  const first = stored > 0 ? stored : ((await firstHour(sql, nowSeconds)) ?? last);
  let done = 0;
  for (let hour = first; hour < last && done < HOURS_PER_RUN; hour += HOUR_SECONDS, done++) await sumHour(sql, hour);
  return done;
}

async function sumHour(sql: Sql, hour: number): Promise<void> {
  const until = hour + HOUR_SECONDS;
  await sql.begin(async (tx) => {
    // Clients may send any name, so only the models of channels are kept.
    const models = await tx<{ model: string }[]>`
      select distinct unnest(string_to_array(models, ',')) as model from channels`;
    await tx`delete from model_hourly where hour = ${hour}`;
    await tx.unsafe(
      `insert into model_hourly (hour, model_name, succeeded, failed, latency_buckets, first_token_buckets)
      ${MODEL_SUMS_SQL}`,
      [hour, until, models.map(({ model }) => model)],
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

const startOfHour = (seconds: number) => seconds - (seconds % HOUR_SECONDS);

/** The time (unix seconds) up to which the sums by model are complete; 0 = nothing summed yet. */
export async function modelsSummedUntil(sql: Sql): Promise<number> {
  const [row] = await sql<{ position: number }[]>`select position from job_positions where job = ${JOB}`;
  return row?.position ?? 0;
}
