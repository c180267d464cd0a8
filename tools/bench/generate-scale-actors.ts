import { randomBytes } from "node:crypto";
import type { Sql } from "@/db/client";
import { seal } from "@/lib/crypto";
import { GROUPS, MODELS, oneOf, pick, pickRank, type Scale } from "./generate-scale-sql";

const GRANT = 50_000_000;
const SPREAD_SECONDS = 300 * 86_400;

/** Channels, users with one grant each, tokens (one per user, the rest spread over a few users), redemption codes. */
export async function insertActors(sql: Sql, scale: Scale, from: number, say: (text: string) => void): Promise<void> {
  const before = `${from} - ${SPREAD_SECONDS} + floor(i * ${SPREAD_SECONDS}.0 / total)::bigint`;
  say(`${scale.channels} channels`);
  await sql.unsafe(
    `insert into channels (type, key_cipher, key_fingerprint, name, status, priority, weight, models, "group", tag,
      base_url, response_time_ms, test_time, balance, created_time)
    select ${oneOf(["1", "3", "14", "24", "43"], pick("i", 1, 5))}::int, $1, lpad(to_hex(i), 16, '0'), 'channel ' || i,
      case when i % 20 = 0 then 3 when i % 15 = 0 then 2 else 1 end, ${pick("i", 2, 10)}, ${pick("i", 3, 100)},
      ${oneOf(MODELS, pick("i", 4, MODELS.length))} || ',' || ${oneOf(MODELS, pick("i", 5, MODELS.length))},
      ${oneOf(GROUPS, pick("i", 6, GROUPS.length))}, case when i % 3 = 0 then 'tag ' || i % 50 end,
      'https://host' || i % 400 || '.example', ${pick("i", 7, 6_000)}, ${from} + ${pick("i", 9, scale.days * 86_400)},
      ${pick("i", 8, 1_000)}, ${before}
    from generate_series(1, ${scale.channels}) i, (select ${scale.channels} as total) sizes`,
    [seal("sk-upstream")],
  );
  say(`${scale.users} users`);
  await sql.unsafe(
    `insert into users (username, display_name, email, role, status, "group", quota, aff_code, inviter_id, created_at)
    select 'user' || i, 'User ' || i, 'user' || i || '@example.com', case when i % 1000 = 0 then 10 else 1 end,
      case when i % 50 = 1 then 2 else 1 end, ${oneOf(GROUPS, pick("i", 11, GROUPS.length))}, 0, 'a' || to_hex(i),
      null, ${before}
    from generate_series(1, ${scale.users}) i, (select ${scale.users} as total) sizes`,
  );
  await sql.unsafe(
    `insert into ledger_entries (user_id, amount, kind, reference, created_at)
    select id, ${GRANT}, 'grant', 'scale:' || id, created_at from users where username like 'user%' order by id`,
  );
  await sql`create temporary table scale_users as
    select row_number() over (order by id)::int as n, id, username, "group" from users where username like 'user%'`;
  await sql`create unique index on scale_users (n)`;
  await sql`analyze scale_users`;
  await insertTokens(sql, scale, before, say);
  say(`${scale.redemptions} redemption codes`);
  await sql.unsafe(
    `insert into redemptions (user_id, key, name, quota, status, created_time)
    select 0, md5($1 || i), 'batch ' || i / 100, 500000, case when i % 4 = 0 then 2 else 1 end, ${before}
    from generate_series(1, ${scale.redemptions}) i, (select ${scale.redemptions} as total) sizes`,
    [randomBytes(8).toString("hex")],
  );
}

async function insertTokens(sql: Sql, scale: Scale, created: string, say: (text: string) => void): Promise<void> {
  say(`${scale.tokens} tokens`);
  // Some users have thousands of tokens: resellers.
  const owner = `1 + (case when i <= ${scale.users} then i else ${pickRank("i", 12, scale.users)} end * 7919::bigint) % ${scale.users}`;
  await sql.unsafe(
    `insert into tokens (user_id, key_hash, key_cipher, key_hint, name, status, remain_quota, unlimited_quota, expired_time,
      "group", created_time)
    select owner.id, encode(sha256(($2 || i)::bytea), 'hex'), $1, 'scal…' || to_char(i % 10000, 'FM0000'), 'token ' || i,
      case when i % 30 = 0 then 2 else 1 end, case when i % 10 = 0 then ${pick("i", 13, 2)} * 1000000 else 0 end,
      i % 10 <> 0, case when i % 12 = 0 then ${created} + ${SPREAD_SECONDS} else -1 end,
      case when i % 5 = 0 then owner."group" else '' end, ${created}
    from generate_series(1::bigint, ${scale.tokens}) i
    join (select ${scale.tokens} as total) sizes on true
    join scale_users owner on owner.n = ${owner}
    order by i`,
    [seal("scale"), randomBytes(8).toString("hex")],
  );
}

/** Purchases with their ledger entries and payment callbacks, drawing and music tasks, audit entries. */
export async function insertOperations(
  sql: Sql,
  scale: Scale,
  from: number,
  say: (text: string) => void,
): Promise<void> {
  const seconds = scale.days * 86_400;
  const at = `${from} + floor(i * ${seconds}.0 / ${scale.operations})::bigint - 1`;
  const rows = `from generate_series(1::bigint, ${scale.operations}) i
    join scale_users owner on owner.n = 1 + (${pickRank("i", 14, scale.users)} * 6007::bigint) % ${scale.users}`;
  say(`${scale.operations} purchases and tasks of each kind`);
  await sql.unsafe(
    `insert into top_ups (user_id, amount, money, trade_no, payment_method, status, provider, currency, quota, create_time,
      complete_time)
    select owner.id, 1 + i % 50, (1 + i % 50) * 7.3, 'scale' || i, case when i % 4 = 0 then '' else 'zfb' end,
      case when i % 10 = 0 then 'expired' when i % 10 = 1 then 'pending' else 'success' end,
      case when i % 4 = 0 then 'stripe' else 'epay' end, 'CNY', (1 + i % 50) * 500000, ${at},
      case when i % 10 < 2 then 0 else ${at} + 30 end ${rows} order by i`,
  );
  await sql`insert into ledger_entries (user_id, amount, kind, reference, created_at)
    select user_id, quota, 'topup', 'topup:' || trade_no, complete_time from top_ups where status = 'success' order by id`;
  await sql`insert into payment_callbacks (provider, event_id, trade_no, outcome, created_at, handled_at)
    select provider, 'event ' || id, trade_no, case when id % 100 = 0 then 'refused' else 'credited' end, complete_time,
      complete_time from top_ups where status = 'success' order by id`;
  await sql.unsafe(
    `insert into tasks (created_at, updated_at, task_id, platform, code, user_id, action, prompt, submit_time, start_time,
      finish_time, results, status, progress, channel_id, quota)
    select ${at}, ${at} + 60, 'mj' || i, 'mj', 1, owner.id,
      ${oneOf(["IMAGINE", "UPSCALE", "VARIATION", "DESCRIBE"], pick("i", 15, 4))}, 'a picture',
      (${at}) * 1000, (${at} + 1) * 1000, (${at} + 60) * 1000, jsonb_build_array('https://host.example/' || i),
      case when i % 20 = 0 then 'FAILURE' else 'SUCCESS' end, '100%', 1 + ${pick("i", 16, scale.channels)}, 1000
    ${rows} order by i`,
  );
  await sql.unsafe(
    `insert into tasks (created_at, updated_at, task_id, platform, user_id, channel_id, quota, action, status, submit_time,
      start_time, finish_time, progress)
    select ${at}, ${at} + 60, 'task' || i, 'suno', owner.id, 1 + ${pick("i", 17, scale.channels)}, 1000,
      case when i % 3 = 0 then 'LYRICS' else 'MUSIC' end, case when i % 20 = 0 then 'FAILURE' else 'SUCCESS' end,
      (${at}) * 1000, (${at} + 1) * 1000, (${at} + 60) * 1000, '100%' ${rows} order by i`,
  );
  say(`${scale.audits} audit entries`);
  await sql.unsafe(
    `insert into audit_entries (actor_id, actor_kind, action, subject, before, after, client_ip, created_at)
    select case when i % 3 = 0 then null else owner.id end, case when i % 3 = 0 then 'job' else 'user' end,
      ${oneOf(["channel.update", "user.update", "option.update", "token.create"], pick("i", 18, 4))},
      ${oneOf(["channel:", "user:", "option:", "token:"], pick("i", 18, 4))} || 1 + ${pick("i", 19, scale.channels)},
      '{"status": 1}', '{"status": 2}', '203.0.113.7', ${from} + floor(i * ${seconds}.0 / ${scale.audits})::bigint - 1
    from generate_series(1::bigint, ${scale.audits}) i
    join scale_users owner on owner.n = 1 + (${pickRank("i", 20, scale.users)} * 6007::bigint) % ${scale.users}
    order by i`,
  );
}
