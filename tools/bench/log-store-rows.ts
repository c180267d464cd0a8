import { MODELS } from "./generate-scale-sql";

/** Rows of the usage log in ClickHouse, spread evenly over the last days. */
export type LogStoreScale = { rows: number; days: number; users: number; channels: number };

/** As many as a marketplace has; the first are the most frequent. */
export const STORE_MODELS = [
  ...MODELS,
  ...["qwen2.5", "llama-3.1", "mistral", "glm-4", "kimi-k2", "doubao-1.5"].flatMap((family) =>
    ["7b", "14b", "32b", "70b", "instruct", "vision", "long", "thinking"].map((kind) => `${family}-${kind}`),
  ),
];
/** The gateway writes what it has charged in flushes. */
const FLUSH_ROWS = 25;
/** One row in so many is of a user who has three of them in all. */
const RARE = 1_000_003;

const pick = (salt: number, bound: number) => `toUInt32(cityHash64(n, ${salt}) % ${bound})`;
/** Rank n is about 1/n as frequent as rank 1 (Zipf's law). From 1 on. */
const rank = (salt: number, bound: number) =>
  `toUInt32(toUInt64(pow(${bound + 1}, (cityHash64(n, ${salt}) % 1000000) / 1000000.)))`;
/** Spread over the ids, so that frequent users are not neighbours. */
const user = (users: number) =>
  `toUInt32(if(n % ${RARE} = 9, ${users + 1} + intDiv(n, ${RARE}) % 33, ${rank(1, users)} * 104729 % ${users} + 1))`;
/** hex() leaves out leading zeros. */
const hexOf = (salt: number) => `substring(concat('00000000', lower(hex(cityHash64(n, ${salt})))), -12)`;

/** Which row (`n` below) has this id. */
export function storeRowOf(id: number): number {
  return (Math.floor(id / 4096) - 1_048_576) * FLUSH_ROWS + (id % 4096);
}

/**
 * SQL that inserts the rows of one day, from row `first` on: what a gateway writes, with ids as the outbox gives them, request
 * ids of version 7 and the items of the charge in `other`. One row in 50 failed, one in 33 has two attempts, half are streams.
 */
export function fillDay(
  table: string,
  { users, channels }: LogStoreScale,
  day: { start: number; first: number; rows: number },
): string {
  const models = `[${STORE_MODELS.map((model) => `'${model}'`).join(", ")}]`;
  return `
    insert into ${table} (id, request_uuid, created_at, type, user_id, username, token_id, token_name, channel_id, model_name,
      group, quota, cost, unbilled_cost, unknown_costs, prompt_tokens, completion_tokens, use_time_ms, first_token_ms,
      is_stream, hidden, client_ip, content, status_code, error_code, error_cause, repeats, other, is_test, outcome, result,
      bad_events, delivered_at, \`attempts.channel_id\`, \`attempts.model_name\`, \`attempts.outcome\`,
      \`attempts.use_time_ms\`, delivered, delivered_here, upstream_model, group_ratio, cached_tokens, batch)
    select (1048576 + intDiv(n, ${FLUSH_ROWS})) * 4096 + n % ${FLUSH_ROWS} as row_id,
      toUUID(concat(substring(stamp, 1, 8), '-', substring(stamp, 9, 4), '-7', substring(${hexOf(2)}, 1, 3), '-b',
        substring(${hexOf(3)}, 1, 3), '-', substring(${hexOf(4)}, 1, 12))) as request,
      toUInt32(at) as created, if(failed, 5, 2) as kind, owner, concat('user', toString(owner)) as name,
      owner * 2 + toUInt32(n % 2) as token, if(n % 2 = 0, 'main', concat('key-', toString(owner % 700))) as key_name, channel, model,
      if(owner % 10 = 0, 'vip', 'default') as \`group\`, charged, if(failed, 0, intDiv(charged * 7, 10)) as costs, 0 as unbilled,
      0 as unknown, prompt, if(failed, 0, completion) as completed, duration, if(streams, first_token, null) as first_ms,
      streams, 0 as is_hidden, concat('203.0.', toString(owner % 200), '.', toString(owner % 251)) as ip,
      if(failed, 'status 502: bad gateway', '') as text, if(failed, 502, null) as status,
      if(failed, 'bad_response', '') as code, if(failed, concat('cause ', toString(${pick(5, 23)})), '') as cause,
      0 as repeated, if(failed, '{"status_code":502}', concat(
        '{"model_ratio":1.25,"group_ratio":1,"completion_ratio":4,"cache_tokens":', toString(cached),
        ',"cache_ratio":0.1,"model_price":-1,"quota_per_unit":500000,"frt":', if(streams, toString(first_token), '-1000'),
        ',"lines":[{"kind":"prompt","quantity":', toString(prompt), ',"unitPrice":1.25,"amount":', toString(prompt * 1.25),
        '},{"kind":"completion","quantity":', toString(completion), ',"unitPrice":5,"amount":', toString(completion * 5),
        '}],"admin_info":{"use_channel":["', toString(channel), '"]', if(again, concat(
          ',"attempts":[{"channel":', toString(channel % ${channels} + 1), ',"start_ms":0,"ms":', toString(${pick(6, 900)}),
          ',"outcome":"limited","status":429},{"channel":', toString(channel), ',"start_ms":91,"ms":', toString(duration),
          ',"outcome":"ok","status":200}]'), ''), '}}')) as other_text,
      0 as test, if(failed, 'failed', 'ok') as result_outcome, if(failed, 'failed', 'ok') as seen, 0 as bad,
      if(again, 2, 1) as delivered_place,
      if(again, [channel % ${channels} + 1, channel], emptyArrayUInt32()) as a1,
      if(again, [model, model], emptyArrayString()) as a2, if(again, ['limited', 'ok'], emptyArrayString()) as a3,
      if(again, [toInt64(${pick(6, 900)}), toInt64(duration)], emptyArrayInt64()) as a4,
      if(again, 1, -1) as d1, if(again, 1, -1) as d2, '' as upstream, 1 as ratio, cached, 0 as shipment
    from (
      select number + ${day.first} as n, ${day.start} + number * 86400. / ${day.rows} as at,
        lower(hex(toUInt64(toUInt64(at * 1000) - duration))) as hex_time, substring(hex_time, length(hex_time) - 11) as stamp,
        cityHash64(n, 14) % 50 = 7 as failed, cityHash64(n, 15) % 33 = 5 and not failed as again, n % 2 = 0 and not failed as streams,
        ${user(users)} as owner, 1 + ${pick(7, channels)} as channel,
        arrayElement(${models}, if(${pick(8, 10)} < 7, 1 + owner % ${STORE_MODELS.length}, ${rank(9, STORE_MODELS.length)})) as model,
        50 + ${pick(10, 4_000)} as prompt, 10 + ${pick(11, 1_500)} as completion, if(n % 3 = 0, intDiv(prompt, 2), 0) as cached,
        if(failed, 0, prompt * 1.25 + completion * 5) as charge, toInt64(charge) as charged,
        300 + ${pick(12, 20_000)} as duration, 100 + ${pick(13, 2_000)} as first_token
      from numbers(${day.rows})
    )`;
}
