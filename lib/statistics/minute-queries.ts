import type { Sql } from "@/db/client";
import { LOG_TYPE } from "@/lib/row-status";

const MINUTE = 60;

/**
 * The log of a short window (unix seconds, end exclusive) with the columns of usage_hourly, `hour` being the minute, as an
 * SQL fragment for a from clause. Counts and sums what settling adds to usage_hourly; `owner` undefined = all users.
 */
export function minutesOf(sql: Sql, from: number, until: number, owner?: number) {
  return sql`(
    select created_at - created_at % ${MINUTE} as hour, user_id, token_id, channel_id, model_name, "group",
      (type = ${LOG_TYPE.consume})::int as count, quota, prompt_tokens, completion_tokens, coalesce(cost, 0) as cost,
      unbilled_cost, coalesce(unknown_costs, (type = ${LOG_TYPE.consume})::int) as unknown_costs
    from usage_logs
    where created_at >= ${from}::bigint and created_at < ${until}::bigint
      ${owner === undefined ? sql`` : sql`and user_id = ${owner}`}
      -- Refunds and adjustments of tasks are rows of type 4, as other events are that the ledger has.
      and (type in (${LOG_TYPE.consume}, ${LOG_TYPE.error})
        or type = ${LOG_TYPE.system} and starts_with(request_id, 'end:'))) minutes`;
}
