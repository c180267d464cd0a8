import type { TransactionSql } from "postgres";
import type { Sql } from "@/db/client";
import { SPAN_HOURS } from "./spans";
import { CHANNEL_MODEL_SUMS_JOB, readSummed, SHORTEST_SPANS, SUMS_JOB, SUMS_JOBS, USER_SUMS_JOB } from "./sums-queries";

const HOUR = 3_600;
/**
 * Hours are summed this long after their end. Booking a charge later than 300 seconds after it
 * (db/functions/book-settlements.sql and charge-sums.sql) moves the jobs' positions back, so a charge is either booked before its hour is
 * summed or causes a new sum.
 */
const SETTLED_AFTER_SECONDS = 600;
/** Maximum hours per run, so that the job can be stopped; the next run continues. */
const HOURS_PER_RUN = 48;

const DAY = 86_400;
/** How long the shortest spans are kept. They take as much space as the hours, and older windows do not need them. */
const SHORTEST_KEPT_SECONDS = 35 * DAY;
const [SHORTEST] = SPAN_HOURS;

/** Column of usage_hourly by dimension of usage_spans. */
const COLUMNS = { user: "user_id", token: "token_id", channel: "channel_id" } as const;
const DIMENSIONS = Object.keys(COLUMNS);

/** `reached`: the position after this hour. `shortestFrom`: spans of the shortest length that begin earlier are not kept. */
type Step = { hour: number; reached: number; shortestFrom: number };
type SumHour = (tx: TransactionSql, step: Step) => Promise<void>;
/**
 * What is summed, by the row of job_positions that says how far. Each sum has a position of its own, so that a version which does
 * not know the newest sum cannot move its position past hours that it has not summed.
 */
const SUMS: Record<(typeof SUMS_JOBS)[number], SumHour> = {
  [SUMS_JOB]: sumOfAll,
  [USER_SUMS_JOB]: sumByUser,
  [CHANNEL_MODEL_SUMS_JOB]: (tx, step) => sumEndedSpans(tx, step, sumChannelModels),
};

/**
 * Sums finished hours of metered consumption: over all users by model and group, by user, token and channel over
 * longer spans, for each user by model and group, and by channel and model over the same spans. Returns the number of hours. A
 * late charge moves the positions back to its hour; until the job has caught up, queries read the rows after the position, so that
 * figures are never out of date.
 */
export async function rollUpUsage(sql: Sql): Promise<number> {
  await sql`
    insert into job_positions (job, position)
    select job, earliest.hour from unnest(${[...SUMS_JOBS]}::text[]) as sums (job), (select min(hour) as hour from usage_hourly) earliest
    where earliest.hour is not null on conflict do nothing`;
  const shortestFrom = await forgetShortest(sql);
  let most = 0;
  for (const job of SUMS_JOBS) {
    let done = 0;
    while (done < HOURS_PER_RUN && (await sumNextHour(sql, job, shortestFrom))) done++;
    most = Math.max(most, done);
  }
  return most;
}

/** Sums the hour at the position and moves on to the next hour with rows. False when the hour has not been over long enough. */
async function sumNextHour(sql: Sql, job: (typeof SUMS_JOBS)[number], shortestFrom: number): Promise<boolean> {
  return sql.begin(async (tx) => {
    // Locked until commit: a late charge waits for the lock, and then moves the position back.
    const [at] = await tx<{ hour: number; last: number }[]>`
      select position as hour, (floor((extract(epoch from now()) - ${SETTLED_AFTER_SECONDS}) / ${HOUR}) * ${HOUR})::bigint as last
      from job_positions where job = ${job} for update`;
    if (!at || at.hour >= at.last) return false;
    const { hour, last } = at;
    const [next] = await tx<{ hour: number | null }[]>`
      select min(hour) as hour from usage_hourly where hour > ${hour}`;
    const reached = Math.min(next?.hour ?? last, last);
    await SUMS[job](tx, { hour, reached, shortestFrom });
    await tx`
      update job_positions set position = ${reached}, updated_at = floor(extract(epoch from now()))::bigint where job = ${job}`;
    return true;
  });
}

async function sumOfAll(tx: TransactionSql, step: Step): Promise<void> {
  const { hour } = step;
  await tx`delete from usage_model_hours where hour = ${hour}`;
  await tx`
    insert into usage_model_hours (hour, model_name, "group", count, quota, tokens, cost, unbilled_cost, unknown_costs)
    select hour, model_name, "group", sum(count), sum(quota), sum(prompt_tokens + completion_tokens), sum(cost),
      sum(unbilled_cost), sum(coalesce(unknown_costs, count))
    from usage_hourly where hour = ${hour} group by 1, 2, 3`;
  await sumEndedSpans(tx, step, sumDimensions);
}

/** Rows of usage_hourly are never deleted, so a second sum of an hour has every row of the first. */
async function sumByUser(tx: TransactionSql, { hour }: Step): Promise<void> {
  await tx`
    insert into usage_user_hours (user_id, hour, model_name, "group", count, quota, tokens)
    select user_id, hour, model_name, "group", sum(count), sum(quota), sum(prompt_tokens + completion_tokens)
    from usage_hourly where hour = ${hour} group by 1, 2, 3, 4 order by 1
    on conflict (user_id, hour, model_name, "group") do update set
      count = excluded.count, quota = excluded.quota, tokens = excluded.tokens`;
}

type SumSpan = (tx: TransactionSql, hours: number, start: number, shorter: number | undefined) => Promise<void>;

/**
 * Sums the spans with the hour in them that have ended. Those of up to a day are summed from the hours, which are always kept; longer
 * ones from the next shorter spans.
 */
async function sumEndedSpans(
  tx: TransactionSql,
  { hour, reached, shortestFrom }: Step,
  sumSpan: SumSpan,
): Promise<void> {
  for (const hours of SPAN_HOURS) {
    const start = hour - (hour % (hours * HOUR));
    if (hours === SHORTEST && start < shortestFrom) continue;
    const shorter = SPAN_HOURS.findLast((length) => length < hours && length !== SHORTEST);
    if (start + hours * HOUR <= reached) await sumSpan(tx, hours, start, shorter);
  }
}

async function sumDimensions(
  tx: TransactionSql,
  hours: number,
  start: number,
  shorter: number | undefined,
): Promise<void> {
  const until = start + hours * HOUR;
  await tx`delete from usage_spans where dimension = any(${DIMENSIONS}) and hours = ${hours} and start = ${start}`;
  if (shorter !== undefined) {
    await tx`
      insert into usage_spans (dimension, hours, start, key, count, quota, tokens, cost, unbilled_cost, unknown_costs)
      select dimension, ${hours}::int, ${start}::bigint, key, sum(count), sum(quota), sum(tokens), sum(cost),
        sum(unbilled_cost), sum(coalesce(unknown_costs, count))
      from usage_spans
      where dimension = any(${DIMENSIONS}) and hours = ${shorter} and start >= ${start} and start < ${until}
      group by dimension, key order by 1, 4`;
    return;
  }
  for (const [dimension, column] of Object.entries(COLUMNS)) {
    await tx`
      insert into usage_spans (dimension, hours, start, key, count, quota, tokens, cost, unbilled_cost, unknown_costs)
      select ${dimension}, ${hours}::int, ${start}::bigint, ${tx(column)}, sum(count), sum(quota),
        sum(prompt_tokens + completion_tokens), sum(cost), sum(unbilled_cost), sum(coalesce(unknown_costs, count))
      from usage_hourly where hour >= ${start} and hour < ${until} group by ${tx(column)} order by 4`;
  }
}

const sumChannelModels: SumSpan = async (tx, hours, start, shorter) => {
  const until = start + hours * HOUR;
  const parts =
    shorter === undefined
      ? tx`usage_hourly where hour >= ${start} and hour < ${until}`
      : tx`usage_channel_model_spans where hours = ${shorter} and start >= ${start} and start < ${until}`;
  await tx`delete from usage_channel_model_spans where hours = ${hours} and start = ${start}`;
  await tx`
    insert into usage_channel_model_spans (hours, start, channel_id, model_name, count, quota, cost, unbilled_cost, unknown_costs)
    select ${hours}::int, ${start}::bigint, channel_id, model_name, sum(count), sum(quota), sum(cost), sum(unbilled_cost),
      sum(coalesce(unknown_costs, count))
    from ${parts} group by channel_id, model_name order by 3, 4`;
};

/**
 * Deletes what the previous run announced as deleted: no query that started before the announcement is still running. Returns from
 * when on the shortest spans are kept.
 */
async function forgetShortest(sql: Sql): Promise<number> {
  const { until, shortestFrom } = await readSummed(sql);
  await sql`
    delete from usage_spans where dimension = any(${DIMENSIONS}) and hours = ${SHORTEST} and start < ${shortestFrom}`;
  await sql`delete from usage_channel_model_spans where hours = ${SHORTEST} and start < ${shortestFrom}`;
  const from = until - (until % DAY) - SHORTEST_KEPT_SECONDS;
  await sql`
    insert into job_positions as known (job, position) values (${SHORTEST_SPANS}, ${from})
    on conflict (job) do update set position = greatest(known.position, excluded.position),
      updated_at = floor(extract(epoch from now()))::bigint`;
  return shortestFrom;
}
