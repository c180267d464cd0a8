import { LOG_TYPE } from "@/lib/row-status";
import { BUCKET_BOUNDS_MS, BUCKET_COUNT } from "./buckets";

/**
 * SQL for one row per upstream attempt in the usage log between $1 and $2 (unix seconds, $2 excluded). A request with
 * several attempts lists them in its log row; a request without that list was one attempt, at the row's channel. What was
 * charged belongs to the last attempt that delivered, whatever failed after it. Channel tests are no traffic and left out.
 * `logs` is usage_logs or a relation with its columns. Only constants of the code are interpolated.
 */
const attemptsSql = (stepSeconds: 60 | 3_600, logs: string) => `
  select log.created_at, log.created_at - log.created_at % ${stepSeconds} as hour,
    coalesce(try.item ->> 'model', log.model_name) as model_name,
    coalesce((try.item ->> 'channel')::int, log.channel_id) as channel_id,
    coalesce(try.item ->> 'outcome', case
      when log.type = ${LOG_TYPE.consume} then coalesce(log.other ->> 'outcome', 'ok')
      when log.other ->> 'status_code' in ('401', '403') then 'refused'
      when log.other ->> 'status_code' = '429' then 'limited'
      when log.other ->> 'status_code' in ('504', '524') then 'timeout'
      when log.other ->> 'status_code' ~ '^4' then 'request'
      else 'failed' end) as outcome,
    coalesce((try.item ->> 'ms')::bigint, log.use_time_ms) as use_time_ms,
    case when coalesce(try.delivered, true) then log.first_token_ms end as first_token_ms,
    case when coalesce(try.delivered, true) then log.quota else 0 end as quota,
    case when coalesce(try.delivered, true) and jsonb_typeof(log.other -> 'bad_events') = 'number'
      then (log.other ->> 'bad_events')::bigint else 0 end as bad_events
  from ${logs} log
  left join lateral (
    select item, place = coalesce(
      max(place) filter (where item ->> 'outcome' in ('ok', 'cut', 'gone')) over (), count(*) over ()) as delivered
    from jsonb_array_elements(case jsonb_typeof(log.other -> 'admin_info' -> 'attempts')
      when 'array' then log.other -> 'admin_info' -> 'attempts' else '[]'::jsonb end) with ordinality as list (item, place)
  ) try on true
  where log.created_at >= $1::bigint and log.created_at < $2::bigint and log.type in (${LOG_TYPE.consume}, ${LOG_TYPE.error})
    and coalesce(log.other ->> 'model_test', '') <> 'true'
    and coalesce((try.item ->> 'channel')::int, log.channel_id) > 0`;

export function bucketCounts(column: string): string {
  const bounds = `array[${BUCKET_BOUNDS_MS.join(",")}]::bigint[]`;
  const each = Array.from(
    { length: BUCKET_COUNT },
    (_, i) => `count(*) filter (where width_bucket(${column}::bigint, ${bounds}) = ${i})`,
  );
  return `array[${each.join(", ")}]`;
}

/** Sums of the attempts in a relation, by `hour` of so many seconds; in the column order of channel_hourly. */
export const attemptSumsOf = (stepSeconds: 60 | 3_600, logs: string) => `
  select hour, channel_id, model_name, outcome, count(*) as count, sum(quota)::bigint as quota,
    sum(use_time_ms)::bigint as use_time_ms, ${bucketCounts("use_time_ms")} as latency_buckets,
    ${bucketCounts("first_token_ms")} as first_token_buckets, sum(bad_events)::bigint as bad_events
  from (${attemptsSql(stepSeconds, logs)}) tries
  group by hour, channel_id, model_name, outcome`;

/** Sums of the attempts by hour, channel, model and outcome, in the column order of channel_hourly. */
export const SUMS_SQL = attemptSumsOf(3_600, "usage_logs");
/** The same by minute, in the column `hour`. */
export const MINUTE_SUMS_SQL = attemptSumsOf(60, "usage_logs");

/** The channel_id in channel_hourly for the totals of all channels, by hour and outcome, without a model. */
export const ALL_CHANNELS = 0;

export function sumBuckets(column: string): string {
  const parts = Array.from({ length: BUCKET_COUNT }, (_, i) => `coalesce(sum(${column}[${i + 1}]), 0)::bigint`);
  return `array[${parts.join(", ")}]`;
}

/** Sums over rows of channel_hourly, in its column order from `count` on. */
export const TOTALS_SQL = `sum(count)::bigint as count, sum(quota)::bigint as quota, sum(use_time_ms)::bigint as use_time_ms,
    ${sumBuckets("latency_buckets")} as latency_buckets, ${sumBuckets("first_token_buckets")} as first_token_buckets,
    sum(bad_events)::bigint as bad_events`;

/**
 * Sums by window, channel and outcome of the attempts between $1 and $2: 'hour' counts those from $3 on, 'day' those from
 * $4 on. $5: only these channels; null = all.
 */
export const recentSumsOf = (logs: string) => `
  select span, channel_id, outcome, count(*) as count, ${bucketCounts("use_time_ms")} as latency_buckets,
    ${bucketCounts("first_token_ms")} as first_token_buckets
  from (${attemptsSql(3_600, logs)}) tries
  join (values ('hour', $3::bigint), ('day', $4::bigint)) spans (span, since) on tries.created_at >= since
  where $5::int[] is null or channel_id = any($5::int[])
  group by span, channel_id, outcome`;
export const RECENT_SUMS_SQL = recentSumsOf("usage_logs");

/** The 'day' part of RECENT_SUMS_SQL from the finished hours between $1 and $2. $3: only these channels; null = all. */
export const PAST_DAY_SQL = `
  select 'day' as span, channel_id, outcome, sum(count)::bigint as count, ${sumBuckets("latency_buckets")} as latency_buckets,
    ${sumBuckets("first_token_buckets")} as first_token_buckets
  from channel_hourly
  where hour >= $1::bigint and hour < $2::bigint and channel_id <> ${ALL_CHANNELS}
    and ($3::int[] is null or channel_id = any($3::int[]))
  group by channel_id, outcome`;
