import type { TransactionSql } from "postgres";
import type { Sql } from "@/db/client";
import { SPAN_HOURS } from "./spans";
import { readSummed, SHORTEST_SPANS, SUMS_JOB, USER_SUMS_JOB } from "./sums-queries";

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

/**
 * Sums finished hours of metered consumption: over all users by model and group, by user, token and channel over
 * longer spans, and for each user by model and group. Returns the number of hours. A late charge moves the position back to its hour; until the job has
 * caught up, queries read the rows after the position, so that figures are never out of date.
 */
export async function rollUpUsage(sql: Sql): Promise<number> {
  await sql`
    insert into job_positions (job, position)
    select ${SUMS_JOB}, min(hour) from usage_hourly having min(hour) is not null on conflict do nothing`;
  await forgetShortest(sql);
  let done = 0;
  while (done < HOURS_PER_RUN && (await sumNextHour(sql))) done++;
  return Math.max(done, await sumUserHours(sql));
}

/** Sums the hour at the position and moves on to the next hour with rows. False when the hour has not been over long enough. */
async function sumNextHour(sql: Sql): Promise<boolean> {
  return sql.begin(async (tx) => {
    // Locked until commit: a late charge waits for the lock, and then moves the position back.
    const [at] = await tx<{ hour: number; last: number }[]>`
      select position as hour, (floor((extract(epoch from now()) - ${SETTLED_AFTER_SECONDS}) / ${HOUR}) * ${HOUR})::bigint as last
      from job_positions where job = ${SUMS_JOB} for update`;
    if (!at || at.hour >= at.last) return false;
    const { hour, last } = at;
    await tx`delete from usage_model_hours where hour = ${hour}`;
    await tx`
      insert into usage_model_hours (hour, model_name, "group", count, quota, tokens, cost, unbilled_cost, unknown_costs)
      select hour, model_name, "group", sum(count), sum(quota), sum(prompt_tokens + completion_tokens), sum(cost),
        sum(unbilled_cost), sum(coalesce(unknown_costs, count))
      from usage_hourly where hour = ${hour} group by 1, 2, 3`;
    const [next] = await tx<{ hour: number | null }[]>`
      select min(hour) as hour from usage_hourly where hour > ${hour}`;
    const reached = Math.min(next?.hour ?? last, last);
    for (const hours of SPAN_HOURS) {
      const start = hour - (hour % (hours * HOUR));
      if (start + hours * HOUR <= reached) await sumSpan(tx, hours, start);
    }
    await tx`
      update job_positions set position = ${reached}, updated_at = floor(extract(epoch from now()))::bigint
      where job = ${SUMS_JOB}`;
    return true;
  });
}

/** Spans of up to a day are summed from the hours, which are always kept; longer ones from the next shorter spans. */
async function sumSpan(tx: TransactionSql, hours: number, start: number): Promise<void> {
  const shorter = SPAN_HOURS.findLast((length) => length < hours && length !== SHORTEST);
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

/** Deletes what the previous run announced as deleted: no query that started before the announcement is still running. */
async function forgetShortest(sql: Sql): Promise<void> {
  const { until, shortestFrom } = await readSummed(sql);
  await sql`
    delete from usage_spans where dimension = any(${DIMENSIONS}) and hours = ${SHORTEST} and start < ${shortestFrom}`;
  const from = until - (until % DAY) - SHORTEST_KEPT_SECONDS;
  await sql`
    insert into job_positions as known (job, position) values (${SHORTEST_SPANS}, ${from})
    on conflict (job) do update set position = greatest(known.position, excluded.position),
      updated_at = floor(extract(epoch from now()))::bigint`;
}

/**
 * Sums finished hours of metered consumption by user, model and group. Returns the number of hours. A late charge moves the
 * position back to its hour, as it does that of the sums over all users; the two are apart because a worker of the version
 * before moves only that one.
 */
async function sumUserHours(sql: Sql): Promise<number> {
  await sql`
    insert into job_positions (job, position)
    select ${USER_SUMS_JOB}, min(hour) from usage_hourly having min(hour) is not null on conflict do nothing`;
  let done = 0;
  while (done < HOURS_PER_RUN && (await sumNextUserHour(sql))) done++;
  return done;
}

async function sumNextUserHour(sql: Sql): Promise<boolean> {
  return sql.begin(async (tx) => {
    // Locked until commit: a late charge waits for the lock, and then moves the position back.
    const [at] = await tx<{ hour: number; last: number }[]>`
      select position as hour, (floor((extract(epoch from now()) - ${SETTLED_AFTER_SECONDS}) / ${HOUR}) * ${HOUR})::bigint as last
      from job_positions where job = ${USER_SUMS_JOB} for update`;
    if (!at || at.hour >= at.last) return false;
    // Rows of usage_hourly are never deleted, so a second sum of an hour has every row of the first.
    await tx`
      insert into usage_user_hours (user_id, hour, model_name, "group", count, quota, tokens)
      select user_id, hour, model_name, "group", sum(count), sum(quota), sum(prompt_tokens + completion_tokens)
      from usage_hourly where hour = ${at.hour} group by 1, 2, 3, 4 order by 1
      on conflict (user_id, hour, model_name, "group") do update set
        count = excluded.count, quota = excluded.quota, tokens = excluded.tokens`;
    await tx`
      update job_positions set updated_at = floor(extract(epoch from now()))::bigint,
        position = least(${at.last}, coalesce((select min(hour) from usage_hourly where hour > ${at.hour}), ${at.last}))
      where job = ${USER_SUMS_JOB}`;
    return true;
  });
}
