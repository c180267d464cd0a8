import type { ISql } from "postgres";
import type { Summed } from "./spans";

/** The job that sums consumption; its row in job_positions holds its position. */
export const SUMS_JOB = "usage-sums";
/** The row in job_positions with the time from which the shortest spans are kept. */
export const SHORTEST_SPANS = "usage-sums-shortest";

/** How far usage_user_hours goes. */
export const USER_SUMS_JOB = "usage-user-sums";

/** How far usage_channel_model_spans goes. */
export const CHANNEL_MODEL_SUMS_JOB = "usage-channel-model-sums";

/** The positions that a charge which is booked late moves back (db/functions); an import does so too (lib/billing/opening-ledger.ts). */
export const SUMS_JOBS = [SUMS_JOB, USER_SUMS_JOB, CHANNEL_MODEL_SUMS_JOB] as const;

/** How far consumption is summed. */
export async function readSummed(sql: ISql): Promise<Summed> {
  const rows = await sql<{ job: string; position: number }[]>`
    select job, position from job_positions
    where job = any(${[...SUMS_JOBS, SHORTEST_SPANS]})`;
  const positionOf = (job: string) => rows.find((row) => row.job === job)?.position ?? 0;
  return {
    until: positionOf(SUMS_JOB),
    shortestFrom: positionOf(SHORTEST_SPANS),
    usersUntil: positionOf(USER_SUMS_JOB),
    channelModelsUntil: positionOf(CHANNEL_MODEL_SUMS_JOB),
  };
}

/**
 * Consumption of all users in a window (unix seconds, end exclusive) by hour, model and group, as an SQL fragment with
 * the columns hour, model_name, "group", count, quota and tokens: from the sums up to the job's position, after it from
 * the rows that are booked with every charge. Rows of failed requests alone, which have only costs, are left out; those of
 * refunds (no count) and of what an import took back (a negative count) are not.
 */
export function everybodysHours(sql: ISql, from: number, until: number, summed: Summed) {
  const sums = sql`
    select hour, model_name, "group", count, quota, tokens from usage_model_hours
    where hour >= ${from}::bigint and hour < ${Math.min(until, summed.until)}::bigint
      and (count <> 0 or quota <> 0)`;
  // An empty range is left out: the planner may choose a slow plan for it.
  if (until <= summed.until) return sums;
  return sql`
    ${sums} union all
    select hour, model_name, "group", count, quota, prompt_tokens + completion_tokens from usage_hourly
    where hour >= ${Math.max(from, summed.until)}::bigint and hour < ${until}::bigint
      and (count <> 0 or quota <> 0)`;
}

/** The same of one user. */
export function hoursOfUser(sql: ISql, userId: number, from: number, until: number, { usersUntil }: Summed) {
  const sums = sql`
    select hour, model_name, "group", count, quota, tokens from usage_user_hours
    where user_id = ${userId} and hour >= ${from}::bigint and hour < ${Math.min(until, usersUntil)}::bigint
      and (count <> 0 or quota <> 0)`;
  if (until <= usersUntil) return sums;
  return sql`
    ${sums} union all
    select hour, model_name, "group", count, quota, prompt_tokens + completion_tokens from usage_hourly
    where user_id = ${userId} and hour >= ${Math.max(from, usersUntil)}::bigint and hour < ${until}::bigint
      and (count <> 0 or quota <> 0)`;
}
