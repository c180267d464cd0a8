import { sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { toQuota } from "./quota";

/**
 * The hour of usage_hourly that holds what was used in another system, as far as no log says when: long before every chart
 * and budget period. The rows have no channel.
 */
const BEFORE = 3_600;
const HOUR = 3_600;

/**
 * Has the jobs that sum hours begin again with BEFORE: a worker may have summed that hour between two batches. Queries read the rows
 * themselves until it has. The positions are written, and so locked, also where they stand there already: a worker that is about
 * to pass the hour waits for this batch.
 */
async function sumBeforeAnew(tx: Database): Promise<void> {
  await tx.execute(sql`
    insert into job_positions as known (job, position)
    values ('usage-sums', ${BEFORE}), ('usage-user-sums', ${BEFORE}), ('usage-channel-model-sums', ${BEFORE})
    on conflict (job) do update set position = least(known.position, excluded.position)`);
}

/** An account of another system, with the history of its balance. */
export type OpenedAccount = {
  /** Taken from the table's sequence. */
  id: number;
  quota: number;
  usedQuota: number;
  requestCount: number;
  reference: string;
  /** The other columns by name. */
  columns: Record<string, unknown>;
};

export type OpenedKey = {
  id: number;
  userId: number;
  usedQuota: number;
  remainQuota: number;
  columns: Record<string, unknown>;
};

const COLUMNS = {
  users: [
    ["username", "text"],
    ["password_hash", "text"],
    ["display_name", "text"],
    ["role", "integer"],
    ["status", "integer"],
    ["email", "text"],
    ["github_id", "text"],
    ["github_server", "text"],
    ["oidc_id", "text"],
    ["oidc_issuer", "text"],
    ["wechat_id", "text"],
    ["wechat_server", "text"],
    ["telegram_id", "text"],
    ["linux_do_id", "text"],
    ["linux_do_server", "text"],
    ["access_token_hash", "text"],
    ["group", "text"],
    ["aff_code", "text"],
    ["aff_count", "integer"],
    ["inviter_id", "integer"],
    ["setting", "jsonb"],
    ["created_at", "bigint"],
    ["requests_per_minute", "integer"],
    ["tokens_per_minute", "integer"],
    ["concurrency_limit", "integer"],
    ["budget_day", "bigint"],
    ["budget_week", "bigint"],
    ["budget_month", "bigint"],
  ],
  tokens: [
    ["key_hash", "text"],
    ["key_cipher", "text"],
    ["key_hint", "text"],
    ["status", "integer"],
    ["name", "text"],
    ["created_time", "bigint"],
    ["accessed_time", "bigint"],
    ["expired_time", "bigint"],
    ["unlimited_quota", "boolean"],
    ["model_limits_enabled", "boolean"],
    ["model_limits", "text"],
    ["operation_limits", "text"],
    ["allow_ips", "text"],
    ["group", "text"],
    ["rate_limit_count", "integer"],
    ["rate_limit_seconds", "integer"],
    ["tokens_per_minute", "integer"],
    ["concurrency_limit", "integer"],
    ["budget_day", "bigint"],
    ["budget_week", "bigint"],
    ["budget_month", "bigint"],
  ],
} as const;

/**
 * Creates accounts with the balance, used quota and number of requests that they had in another system: one ledger entry
 * each, and one row of metered usage. The entry is the balance plus what was used, so that the sums of README.md hold.
 */
export async function openAccounts(tx: Database, accounts: readonly OpenedAccount[]): Promise<void> {
  if (accounts.length === 0) return;
  const rows = accounts.map(({ id, quota, usedQuota, requestCount, columns, reference }) => ({
    ...columns,
    id,
    quota: toQuota(quota),
    used_quota: toQuota(usedQuota),
    request_count: toQuota(requestCount),
    amount: toQuota(quota + usedQuota),
    reference,
  }));
  const { names, types, values } = columnsOf("users", rows);
  await tx.execute(sql`
    with given as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as row(
        id integer, quota bigint, used_quota bigint, request_count bigint, amount bigint, reference text, ${types})),
    opened as (
      insert into users (id, quota, used_quota, request_count, ${names})
      select id, quota, used_quota, request_count, ${values} from given),
    metered as (
      insert into usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", quota, count)
      select ${BEFORE}::bigint, id, 0, 0, '', '', used_quota, request_count from given where used_quota <> 0 or request_count <> 0)
    insert into ledger_entries (user_id, amount, kind, reference, note)
    select id, amount, 'grant', reference, 'imported balance' from given`);
  await sumBeforeAnew(tx);
}

/** Creates API keys with what they had used in another system. That is a part of what their users had used. */
export async function openKeys(tx: Database, keys: readonly OpenedKey[]): Promise<void> {
  if (keys.length === 0) return;
  const rows = keys.map(({ id, userId, usedQuota, remainQuota, columns }) => ({
    ...columns,
    id,
    user_id: userId,
    used_quota: toQuota(usedQuota),
    remain_quota: toQuota(remainQuota),
  }));
  const { names, types, values } = columnsOf("tokens", rows);
  await tx.execute(sql`
    with given as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as row(
        id integer, user_id integer, used_quota bigint, remain_quota bigint, ${types})),
    opened as (
      insert into tokens (id, user_id, used_quota, remain_quota, ${names})
      select id, user_id, used_quota, remain_quota, ${values} from given)
    insert into usage_hourly as total (hour, user_id, token_id, channel_id, model_name, "group", quota)
    select ${BEFORE}::bigint, user_id, token_id, 0, '', '', sum(quota)::bigint from (
      select user_id, id as token_id, used_quota as quota from given where used_quota <> 0
      union all select user_id, 0, -used_quota from given where used_quota <> 0) as parts
    group by user_id, token_id order by user_id, token_id
    on conflict (hour, user_id, token_id, channel_id, model_name, "group") do update set quota = total.quota + excluded.quota`);
  await sumBeforeAnew(tx);
}

/** Columns that no row has are left to their defaults. */
function columnsOf(table: keyof typeof COLUMNS, rows: readonly Record<string, unknown>[]) {
  const given = new Set(rows.flatMap((row) => Object.keys(row)));
  const columns = COLUMNS[table].filter(([name]) => given.has(name));
  const names = columns.map(([name]) => sql.identifier(name));
  return {
    names: sql.join(names, sql`, `),
    types: sql.join(
      columns.map(([name, type]) => sql`${sql.identifier(name)} ${sql.raw(type)}`),
      sql`, `,
    ),
    values: sql.join(names, sql`, `),
  };
}

export type OpenedCredit = {
  userId: number;
  amount: number;
  kind: "redemption" | "topup";
  reference: string;
  at: number;
  origin: string;
};

/** Credits that are part of an imported balance already: each entry is there for its event, with one that takes it back. */
export async function noteCredits(tx: Database, credits: readonly OpenedCredit[]): Promise<void> {
  if (credits.length === 0) return;
  const rows = credits.map((credit) => ({ ...credit, amount: toQuota(credit.amount) }));
  await tx.execute(sql`
    insert into ledger_entries (user_id, amount, kind, reference, note, created_at)
    select "userId", amount, kind, reference, 'imported', at
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as row("userId" integer, amount bigint, kind text, reference text, at bigint)
    union all
    select "userId", -amount, 'adjustment', origin, 'part of the imported balance', at
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as row("userId" integer, amount bigint, origin text, at bigint)`);
}

/** A charge of another system whose user's used quota was imported. */
export type PastCharge = {
  at: number;
  userId: number;
  tokenId: number;
  channelId: number;
  model: string;
  group: string;
  quota: number;
  promptTokens: number;
  completionTokens: number;
};

/**
 * Says of used quota that was imported in one sum when, by which key, over which channel and for which model it was used.
 * What the users and keys have used in all stays; the channels' sums grow.
 */
export async function dateCharges(tx: Database, charges: readonly PastCharge[]): Promise<void> {
  if (charges.length === 0) return;
  const column = (of: (charge: PastCharge) => unknown) => sql.param(charges.map(of));
  await tx.execute(sql`
    with given as materialized (
      select * from unnest(${column(({ at }) => at)}::bigint[], ${column(({ userId }) => userId)}::integer[],
        ${column(({ tokenId }) => tokenId)}::integer[], ${column(({ channelId }) => channelId)}::integer[],
        ${column(({ model }) => model)}::text[], ${column(({ group }) => group)}::text[],
        ${column(({ quota }) => toQuota(quota))}::bigint[], ${column(({ promptTokens }) => promptTokens)}::bigint[],
        ${column(({ completionTokens }) => completionTokens)}::bigint[]) as row(at, "userId", "tokenId", "channelId", model,
        "group", quota, "promptTokens", "completionTokens")),
    metered as (
      insert into usage_hourly as total
        (hour, user_id, token_id, channel_id, model_name, "group", quota, count, prompt_tokens, completion_tokens, unknown_costs)
      select hour, user_id, token_id, channel_id, model, "group", sum(quota)::bigint, sum(count)::bigint, sum(prompt)::bigint,
        sum(completion)::bigint, nullif(sum(count), 0)::bigint
      from (
        select at - at % ${HOUR} as hour, "userId" as user_id, "tokenId" as token_id, "channelId" as channel_id, model, "group",
          quota, 1 as count, "promptTokens" as prompt, "completionTokens" as completion from given
        union all select ${BEFORE}::bigint, "userId", "tokenId", 0, '', '', -quota, 0, 0, 0 from given
        union all select ${BEFORE}::bigint, "userId", 0, 0, '', '', 0, -1, 0, 0 from given) as parts
      group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6
      on conflict (hour, user_id, token_id, channel_id, model_name, "group") do update set
        count = total.count + excluded.count, quota = total.quota + excluded.quota,
        prompt_tokens = total.prompt_tokens + excluded.prompt_tokens,
        completion_tokens = total.completion_tokens + excluded.completion_tokens,
        unknown_costs = coalesce(total.unknown_costs, total.count) + coalesce(excluded.unknown_costs, 0)),
    charged as (
      select "channelId" as id, sum(quota)::bigint as quota from given where "channelId" > 0 group by 1 order by 1)
    update channels set used_quota = channels.used_quota + charged.quota from charged where channels.id = charged.id`);
  await sumBeforeAnew(tx);
}

/** Before the first rows of an import, which have no log. */
export async function beginOpening(tx: Database): Promise<void> {
  await tx.execute(sql`select weir_note_cleared(${BEFORE + HOUR}::bigint, 'import')`);
}
