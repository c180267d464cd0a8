import { LOG_TYPE } from "@/lib/row-status";
import { bucketCounts, sumBuckets } from "./attempts-sql";

/**
 * SQL for one row per request in the usage log between $1 and $2 (unix seconds, $2 excluded), as its client saw it: what
 * another channel answered succeeded; one row of a refusal may stand for several. Left out: channel tests, clients that
 * left, what clients did wrong, and models that the caller's group does not have. A status of an upstream that no client
 * can do anything about, such as 401, is a failure. `logs` is usage_logs or a
 * relation with its columns. Only constants of the code are interpolated.
 */
const requestsSql = (logs: string) => `
  select log.created_at - log.created_at % 3600 as hour, log.model_name, log.use_time_ms, log.first_token_ms, log.repeats,
    case when log.type = ${LOG_TYPE.consume}
      then case coalesce(log.other ->> 'outcome', 'ok') when 'cut' then 'failed' when 'gone' then 'left' else 'ok' end
      when log.other ->> 'not_offered' = 'true' then 'left'
      when log.other ->> 'status_code' in ('401', '402', '403', '408', '429') and log.channel_id > 0 then 'failed'
      when log.other ->> 'status_code' ~ '^4' then 'left'
      else 'failed' end as outcome
  from ${logs} log
  where log.created_at >= $1::bigint and log.created_at < $2::bigint and log.type in (${LOG_TYPE.consume}, ${LOG_TYPE.error})
    and coalesce(log.other ->> 'model_test', '') <> 'true'`;

const whenOk = (column: string) => bucketCounts(`(case when outcome = 'ok' then ${column} end)`);

/** Sums of the requests by hour and model, in the column order of model_hourly. $3: only these models. */
export const modelSumsOf = (logs: string) => `
  select hour, model_name, count(*) filter (where outcome = 'ok') as succeeded,
    coalesce(sum(1 + repeats) filter (where outcome = 'failed'), 0)::bigint as failed, ${whenOk("use_time_ms")} as latency_buckets,
    ${whenOk("first_token_ms")} as first_token_buckets
  from (${requestsSql(logs)}) requests
  where outcome <> 'left' and model_name = any($3::text[])
  group by hour, model_name`;
export const MODEL_SUMS_SQL = modelSumsOf("usage_logs");

/** Sums over rows of model_hourly, in its column order from `succeeded` on. */
export const MODEL_TOTALS_SQL = `coalesce(sum(succeeded), 0)::bigint as succeeded, coalesce(sum(failed), 0)::bigint as failed,
    ${sumBuckets("latency_buckets")} as "latencyBuckets", ${sumBuckets("first_token_buckets")} as "firstTokenBuckets"`;
