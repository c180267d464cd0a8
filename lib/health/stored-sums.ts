import type { StoredPart } from "@/lib/log-store/both-queries";
import { literals } from "@/lib/log-store/clickhouse/escape";
import { LOG_TYPE } from "@/lib/row-status";
import { BUCKET_BOUNDS_MS, BUCKET_COUNT } from "./buckets";

type Span = { from: number; until: number };

const OF_REQUESTS = `type in (${LOG_TYPE.consume}, ${LOG_TYPE.error}) and is_test = 0`;

/** As width_bucket of PostgreSQL: how many bounds a value has reached. A missing value, here below 0, is in no bucket. */
function buckets(value: string, condition = "1"): string {
  const place = BUCKET_BOUNDS_MS.map((bound) => `(${value} >= ${bound})`).join(" + ");
  const each = Array.from(
    { length: BUCKET_COUNT },
    (_, bucket) => `countIf(${value} >= 0 and ${condition} and (${place}) = ${bucket})`,
  );
  return `[${each.join(", ")}]`;
}

/**
 * ClickHouse's SUMS_SQL (attempts-sql.ts). A row without a list of attempts is one attempt; what was charged belongs to the
 * attempt that delivered, as lib/log-store/clickhouse/rows.ts has found out.
 */
export function storedAttemptSums(
  { rows }: StoredPart,
  { from, until, step, channels = null }: Span & { step: number; channels?: readonly number[] | null },
): string {
  const chosen =
    channels === null
      ? "channel_id > 0"
      : `channel_id in ${literals(channels.length === 0 ? [0] : channels)} and channel_id > 0`;
  return `
    select hour, channel_id, model_name, outcome, count() as count, sum(charged) as quota, sum(use_time) as use_time_ms,
      ${buckets("use_time")} as latency_buckets, ${buckets("first_token")} as first_token_buckets, sum(bad) as bad_events
    from (
      select intDiv(created_at, ${step}) * ${step} as hour, try_channel as channel_id, try_model as model_name,
        try_outcome as outcome, try_ms as use_time,
        if(place = delivered_at, first_ms, -1) as first_token, if(place = delivered_at, quota, 0) as charged,
        if(place = delivered_at, bad_events, 0) as bad
      from (
        select created_at, toInt64(ifNull(first_token_ms, -1)) as first_ms, quota, bad_events, delivered_at,
          if(empty(attempts.channel_id), [channel_id], attempts.channel_id) as channels,
          if(empty(attempts.channel_id), [toString(model_name)], attempts.model_name) as models,
          if(empty(attempts.channel_id), [toString(outcome)], attempts.outcome) as outcomes,
          if(empty(attempts.channel_id), [toInt64(use_time_ms)], attempts.use_time_ms) as times
        from ${rows} and created_at >= ${Math.floor(from)} and created_at < ${Math.ceil(until)} and ${OF_REQUESTS}
      )
      array join channels as try_channel, models as try_model, outcomes as try_outcome, times as try_ms,
        arrayEnumerate(channels) as place
    ) where ${chosen}
    group by hour, channel_id, model_name, outcome`;
}

/** ClickHouse's MODEL_SUMS_SQL (requests-sql.ts). At least one model. */
export function storedModelSums(
  { rows }: StoredPart,
  { from, until, models }: Span & { models: readonly string[] },
): string {
  const isOk = "result = 'ok'";
  return `
    select intDiv(created_at, 3600) * 3600 as hour, model_name, countIf(${isOk}) as succeeded,
      sumIf(1 + repeats, result = 'failed') as failed, ${buckets("use_time_ms", isOk)} as latency_buckets,
      ${buckets("first_ms", isOk)} as first_token_buckets
    from (
      select created_at, model_name, result, repeats, use_time_ms, toInt64(ifNull(first_token_ms, -1)) as first_ms
      from ${rows} and created_at >= ${Math.floor(from)} and created_at < ${Math.ceil(until)} and ${OF_REQUESTS}
        and result != 'left' and model_name in ${literals(models)}
    ) group by hour, model_name`;
}
