import type { Sql } from "@/db/client";
import type { Summed } from "./spans";

/** The job that sums consumption; its row of job_positions says how far it has come. */
export const SUMS_JOB = "usage-sums";
/** The row of job_positions from whose position on the shortest spans are kept. */
export const SHORTEST_SPANS = "usage-sums-shortest";

/** How far everybody's consumption is summed. */
export async function readSummed(sql: Sql): Promise<Summed> {
  const rows = await sql<{ job: string; position: number }[]>`
    select job, position from job_positions where job in (${SUMS_JOB}, ${SHORTEST_SPANS})`;
  const positionOf = (job: string) => rows.find((row) => row.job === job)?.position ?? 0;
  return { until: positionOf(SUMS_JOB), shortestFrom: positionOf(SHORTEST_SPANS) };
}

/**
 * Everybody's consumption in a window (unix seconds; the end does not belong to it) by hour, model and group, as a piece of
 * SQL with the columns hour, model_name, "group", count, quota and tokens: from the sums as far as they go, and from there on
 * from the rows that are booked with every charge.
 */
export function everybodysHours(sql: Sql, from: number, until: number, summed: Summed) {
  const sums = sql`
    select hour, model_name, "group", count, quota, tokens from usage_model_hours
    where hour >= ${from}::bigint and hour < ${Math.min(until, summed.until)}::bigint`;
  // A range that holds nothing is left out: the planner may take the long way to find nothing.
  if (until <= summed.until) return sums;
  return sql`
    ${sums} union all
    select hour, model_name, "group", count, quota, prompt_tokens + completion_tokens from usage_hourly
    where hour >= ${Math.max(from, summed.until)}::bigint and hour < ${until}::bigint`;
}
