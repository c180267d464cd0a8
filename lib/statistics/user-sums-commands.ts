import type { Sql } from "@/db/client";
import { HOUR, HOURS_PER_RUN, SETTLED_AFTER_SECONDS } from "./rollup-terms";
import { USER_SUMS_JOB } from "./sums-queries";

/**
 * Sums finished hours of metered consumption by user, model and group. Returns the number of hours. A late charge moves the
 * position back to its hour, as it does that of the sums over all users; the two are apart because a worker of the version
 * before moves only that one.
 */
export async function sumUserHours(sql: Sql): Promise<number> {
  await sql`
    insert into job_positions (job, position)
    select ${USER_SUMS_JOB}, min(hour) from usage_hourly having min(hour) is not null on conflict do nothing`;
  let done = 0;
  while (done < HOURS_PER_RUN && (await sumNextHour(sql))) done++;
  return done;
}

async function sumNextHour(sql: Sql): Promise<boolean> {
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
