import { randomBytes } from "node:crypto";
import { seal } from "@/lib/crypto";
import { createDatabase, type Sql } from "./client";
import { migrateDatabase } from "./migrate";

/** How many rows of each kind; logs are spread over `days` up to now. */
export type Scale = {
  channels: number;
  users: number;
  tokens: number;
  redemptions: number;
  logs: number;
  days: number;
};

export const FULL_SCALE: Scale = {
  channels: 10_000,
  users: 100_000,
  tokens: 200_000,
  redemptions: 50_000,
  logs: 5_000_000,
  days: 30,
};

const LOGS_PER_STATEMENT = 250_000;
const GRANT = 50_000_000;
const MODELS = [
  "gpt-4o-mini",
  "gpt-4o",
  "gpt-4.1-mini",
  "gpt-4.1",
  "o4-mini",
  "o3",
  "claude-sonnet-4-20250514",
  "claude-3-5-haiku-20241022",
  "gemini-2.5-pro",
  "gemini-2.5-flash",
  "deepseek-chat",
  "deepseek-reasoner",
];
const GROUPS = ["default", "vip", "svip"];

/** A whole number from 0 below `bound`, the same for the same row and salt in every run. */
const pick = (row: string, salt: number, bound: number | string): string =>
  `(abs(hashint8extended(${row}, ${salt})) % ${bound})::int`;
const oneOf = (list: readonly string[], index: string): string =>
  `(array[${list.map((item) => `'${item}'`).join(",")}])[1 + ${index}]`;

/**
 * Fills an empty database with a made-up operator of the given size. The books are right: every balance is the sum of its
 * ledger entries less its hourly usage, so that `reconcile` finds nothing. `say` hears of each step.
 */
export async function generateScale(url: string, scale: Scale, say: (text: string) => void = () => {}): Promise<void> {
  await migrateDatabase(url);
  const { sql, end } = createDatabase({ url, max: 2, applicationName: "weir-scale" });
  try {
    const [present] = await sql`select 1 from usage_logs limit 1`;
    if (present) throw new Error("the database already has usage logs; give an empty one");
    const from = Math.floor(Date.now() / 1000) - scale.days * 86_400;
    await sql`select weir_ensure_log_partitions(${from}::bigint, ${from + (scale.days + 92) * 86_400}::bigint)`;
    await insertActors(sql, scale, say);
    await insertLogs(sql, scale, from, say);
    await applySums(sql, say);
    say("statistics for the planner");
    await sql`analyze`;
  } finally {
    await end();
  }
}

async function insertActors(sql: Sql, scale: Scale, say: (text: string) => void): Promise<void> {
  say(`${scale.channels} channels`);
  await sql.unsafe(
    `insert into channels (type, key_cipher, key_fingerprint, name, status, priority, weight, models, "group", tag,
      response_time_ms, test_time, balance)
    select ${oneOf(["1", "3", "14", "24", "43"], pick("i", 1, 5))}::int, $1, lpad(to_hex(i), 16, '0'), 'channel ' || i,
      case when i % 20 = 0 then 3 when i % 15 = 0 then 2 else 1 end, ${pick("i", 2, 10)}, ${pick("i", 3, 100)},
      ${oneOf(MODELS, pick("i", 4, MODELS.length))} || ',' || ${oneOf(MODELS, pick("i", 5, MODELS.length))},
      ${oneOf(GROUPS, pick("i", 6, GROUPS.length))}, case when i % 3 = 0 then 'tag ' || i % 50 end,
      ${pick("i", 7, 6_000)}, extract(epoch from now())::bigint, ${pick("i", 8, 1_000)}
    from generate_series(1, ${scale.channels}) i`,
    [seal("sk-upstream")],
  );
  say(`${scale.users} users`);
  await sql.unsafe(
    `insert into users (username, display_name, email, role, status, "group", quota, aff_code, inviter_id)
    select 'user' || i, 'User ' || i, 'user' || i || '@example.com', case when i % 1000 = 0 then 10 else 1 end,
      case when i % 50 = 0 then 2 else 1 end, ${oneOf(GROUPS, pick("i", 11, GROUPS.length))}, ${GRANT}, 'a' || to_hex(i),
      null
    from generate_series(1, ${scale.users}) i`,
  );
  await sql.unsafe(
    `insert into ledger_entries (user_id, amount, kind, reference)
    select id, ${GRANT}, 'grant', 'scale:' || id from users where username like 'user%'`,
  );
  say(`${scale.tokens} tokens`);
  await sql.unsafe(
    `insert into tokens (user_id, key_hash, key_cipher, key_hint, name, unlimited_quota, "group")
    select ids.list[1 + i % cardinality(ids.list)], encode(sha256(($2 || i)::bytea), 'hex'), $1, 'scal…' || to_char(i % 10000, 'FM0000'),
      'token ' || i, true, ''
    from generate_series(1, ${scale.tokens}) i, (select array_agg(id order by id) as list from users) ids`,
    [seal("scale"), randomBytes(8).toString("hex")],
  );
  say(`${scale.redemptions} redemption codes`);
  await sql.unsafe(
    `insert into redemptions (user_id, key, name, quota, status)
    select 0, md5($1 || i), 'batch ' || i / 100, 500000, case when i % 4 = 0 then 2 else 1 end
    from generate_series(1, ${scale.redemptions}) i`,
    [randomBytes(8).toString("hex")],
  );
}

async function insertLogs(sql: Sql, scale: Scale, from: number, say: (text: string) => void): Promise<void> {
  await sql`create temporary table scale_tokens as
    select row_number() over (order by t.id) - 1 as n, t.id, t.name, u.id as user_id, u.username, u."group"
    from tokens t join users u on u.id = t.user_id`;
  await sql`create unique index on scale_tokens (n)`;
  const step = (scale.days * 86_400 - 60) / scale.logs;
  for (let start = 1; start <= scale.logs; start += LOGS_PER_STATEMENT) {
    const last = Math.min(start + LOGS_PER_STATEMENT - 1, scale.logs);
    await sql.unsafe(
      `insert into usage_logs (request_id, created_at, type, user_id, username, token_id, token_name, channel_id,
        model_name, "group", quota, prompt_tokens, completion_tokens, use_time_ms, first_token_ms, is_stream, other)
      select 'scale-' || i, ${from} + floor(i * ${step})::bigint, case when i % 40 = 0 then 5 else 2 end, t.user_id,
        t.username, t.id, t.name, 1 + ${pick("i", 21, scale.channels)},
        ${oneOf(MODELS, pick("i", 22, MODELS.length))}, t."group", case when i % 40 = 0 then 0 else 50 + ${pick("i", 23, 5_000)} end,
        50 + ${pick("i", 24, 4_000)}, 10 + ${pick("i", 25, 1_500)}, 300 + ${pick("i", 26, 20_000)},
        case when i % 2 = 0 then 100 + ${pick("i", 27, 2_000)} end, i % 2 = 0,
        case when i % 40 = 0 then '{"status_code": 502}'::jsonb else '{"model_ratio": 1, "group_ratio": 1}'::jsonb end
      from generate_series(${start}::bigint, ${last}::bigint) i
      join scale_tokens t on t.n = ${pick("i", 28, scale.tokens)}`,
    );
    say(`${last} of ${scale.logs} logs`);
  }
}

async function applySums(sql: Sql, say: (text: string) => void): Promise<void> {
  say("hourly sums and balances");
  await sql`
    insert into usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", count, quota, prompt_tokens, completion_tokens)
    select created_at - created_at % 3600, user_id, token_id, channel_id, model_name, "group", count(*), sum(quota),
      sum(prompt_tokens), sum(completion_tokens)
    from usage_logs where type = 2 group by 1, 2, 3, 4, 5, 6`;
  await sql`
    update users u set quota = u.quota - s.quota, used_quota = s.quota, request_count = s.count
    from (select user_id, sum(quota) as quota, sum(count) as count from usage_hourly group by user_id) s where s.user_id = u.id`;
  await sql`
    update tokens t set used_quota = s.quota
    from (select token_id, sum(quota) as quota from usage_hourly group by token_id) s where s.token_id = t.id`;
  await sql`
    update channels c set used_quota = s.quota
    from (select channel_id, sum(quota) as quota from usage_hourly group by channel_id) s where s.channel_id = c.id`;
}
