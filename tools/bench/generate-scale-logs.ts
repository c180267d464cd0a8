import type { Sql } from "@/db/client";
import { CHANNEL_STATUS, LOG_TYPE } from "@/lib/row-status";
import { MODELS, oneOf, pick, pickRank, type Scale } from "./generate-scale-sql";

const LOGS_PER_STATEMENT = 250_000;

/**
 * The usage log: one row in 40 is an error; of 500 rows one is a top-up, one a management change and one a system
 * message. Each token has one model that it uses most, and a channel that serves the model for the user's group.
 */
export async function insertLogs(sql: Sql, scale: Scale, from: number, say: (text: string) => void): Promise<void> {
  await sql`create temporary table scale_tokens as
    select (row_number() over (order by t.id) - 1)::int as n, t.id, t.name, u.id as user_id, u.username, u."group"
    from tokens t join scale_users u on u.id = t.user_id`;
  await sql`create unique index on scale_tokens (n)`;
  await sql`create temporary table scale_served as
    select item as model, "group", array_agg(distinct id order by id) as ids, count(distinct id)::int as size
    from channels, unnest(string_to_array(models, ',')) item where status = ${CHANNEL_STATUS.enabled} group by 1, 2`;
  await sql`analyze scale_tokens, scale_served`;
  const step = (scale.days * 86_400 - 60) / scale.logs;
  for (let start = 1; start <= scale.logs; start += LOGS_PER_STATEMENT) {
    const last = Math.min(start + LOGS_PER_STATEMENT - 1, scale.logs);
    await sql.unsafe(logStatement(scale, from, step, start, last));
    say(`${last} of ${scale.logs} logs`);
  }
}

const CHARGE = `'{"model_ratio": 1, "group_ratio": 1, "completion_ratio": 3, "model_price": -1, "frt": 400}'`;

function logStatement(scale: Scale, from: number, step: number, start: number, last: number): string {
  const token = `(${pickRank("i", 28, scale.tokens)} * 104729::bigint) % ${scale.tokens}`;
  const model = `case when ${pick("i", 22, 10)} < 7 then ${pick("t.id", 29, MODELS.length)} else ${pick("i", 30, MODELS.length)} end`;
  const isSystem = `type in (${LOG_TYPE.topup}, ${LOG_TYPE.manage}, ${LOG_TYPE.system})`;
  return `insert into usage_logs (request_id, created_at, type, user_id, username, token_id, token_name, channel_id,
      model_name, "group", quota, prompt_tokens, completion_tokens, use_time_ms, first_token_ms, is_stream, client_ip,
      content, status_code, error_code, error_cause, repeats, other)
    select 'scale-' || i, ${from} + floor(i * ${step})::bigint, type, user_id, username,
      case when ${isSystem} then 0 else token_id end, case when ${isSystem} then '' else token_name end,
      case when ${isSystem} then 0 else channel_id end, case when ${isSystem} then '' else model end,
      case when ${isSystem} then '' else "group" end,
      case when type = ${LOG_TYPE.consume} then 50 + ${pick("i", 23, 5_000)} else 0 end,
      case when ${isSystem} then 0 else 50 + ${pick("i", 24, 4_000)} end,
      case when type = ${LOG_TYPE.consume} then 10 + ${pick("i", 25, 1_500)} else 0 end,
      case when ${isSystem} then 0 else 300 + ${pick("i", 26, 20_000)} end,
      case when type = ${LOG_TYPE.consume} and i % 2 = 0 then 100 + ${pick("i", 27, 2_000)} end, type = ${LOG_TYPE.consume} and i % 2 = 0, '203.0.113.7',
      case type when ${LOG_TYPE.consume} then '' when ${LOG_TYPE.error} then 'status 502: bad gateway' else 'something happened' end,
      case when type = ${LOG_TYPE.error} then (array[502, 429, 403])[1 + i / 40 % 3] end,
      case when type = ${LOG_TYPE.error} then (array['bad_response', 'rate_limit', 'model_not_allowed'])[1 + i / 40 % 3] else '' end,
      case when type = ${LOG_TYPE.error} then 'cause ' || i / 40 % 23 else '' end, case when i % 4000 = 0 then 9 else 0 end,
      case when ${isSystem} then '{}'::jsonb when type = ${LOG_TYPE.error} then '{"status_code": 502}'::jsonb
        when i % 33 = 0 then ${CHARGE}::jsonb || jsonb_build_object('admin_info', jsonb_build_object('attempts', jsonb_build_array(
          jsonb_build_object('channel', channel_id % ${scale.channels} + 1, 'start_ms', 0, 'ms', 90, 'outcome', 'limited', 'status', 429),
          jsonb_build_object('channel', channel_id, 'start_ms', 91, 'ms', 900, 'outcome', 'ok', 'status', 200))))
        else ${CHARGE}::jsonb end
    from (
      select i, case when i % 40 = 0 then 5 when i % 500 between 1 and 3 then (array[1, 3, 4])[i % 500] else 2 end as type,
        t.user_id, t.username, t.id as token_id, t.name as token_name, t."group", served.model,
        served.ids[${pickRank("i", 21, "served.size")}] as channel_id
      from generate_series(${start}::bigint, ${last}::bigint) i
      join scale_tokens t on t.n = ${token}
      join lateral (select ${oneOf(MODELS, model)} as wanted) m on true
      join scale_served served on served.model = m.wanted and served."group" = t."group"
    ) made
    order by i`;
}
