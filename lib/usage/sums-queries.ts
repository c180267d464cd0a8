import type { Sql } from "@/db/client";

/** The job that sums consumption; its row of job_positions says how far it has come. */
export const SUMS_JOB = "usage-sums";

/** Up to where (unix seconds) everybody's consumption is summed; 0 = nothing yet. */
export async function usageSummedUntil(sql: Sql): Promise<number> {
  const [row] = await sql<{ position: number }[]>`select position from job_positions where job = ${SUMS_JOB}`;
  return row?.position ?? 0;
}

type Window = { from: number; until: number; summed: number };

/**
 * Everybody's consumption in a window (unix seconds; the end does not belong to it) by hour, model and group, as a piece of
 * SQL with the columns hour, model_name, "group", count, quota and tokens: from the sums as far as they go, and from there on
 * from the rows that are booked with every charge.
 */
export function everybodysHours(sql: Sql, { from, until, summed }: Window) {
  return sql`
    select hour, model_name, "group", count, quota, tokens from usage_model_hours
    where hour >= ${from}::bigint and hour < ${Math.min(until, summed)}::bigint
    union all
    select hour, model_name, "group", count, quota, prompt_tokens + completion_tokens from usage_hourly
    where hour >= ${Math.max(from, summed)}::bigint and hour < ${until}::bigint`;
}
