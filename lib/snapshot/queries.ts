import type { Sql } from "@/db/client";

/** One key of a channel that has several, still encrypted; status 1 = enabled. */
export type ChannelKeyRow = { id: number; keyCipher: string; status: number };

/** The columns of a channel that the relay needs; keys are still encrypted. */
export type ChannelRow = {
  id: number;
  type: number;
  keyCipher: string;
  openaiOrganization: string;
  status: number;
  name: string;
  weight: number;
  priority: number;
  baseUrl: string;
  other: string;
  models: string;
  group: string;
  modelMapping: string;
  statusCodeMapping: string;
  autoBan: number;
  setting: string;
  paramOverride: string;
  privateAllowed: boolean;
  /** 0 = no limit, each. */
  requestsPerMinute: number;
  tokensPerMinute: number;
  concurrencyLimit: number;
  /** Null = the channel has one key, `keyCipher`. Otherwise `keyCipher` is ignored. */
  keys: ChannelKeyRow[] | null;
};

/** What may be spent in each period, in quota; 0 = no limit. */
export type Budgets = { budgetDay: number; budgetWeek: number; budgetMonth: number };

/** A token and its owner. Balances are left out on purpose: they must never be decided from cached data. */
export type TokenRow = Budgets & {
  id: number;
  userId: number;
  keyHint: string;
  status: number;
  name: string;
  expiredTime: number;
  unlimitedQuota: boolean;
  modelLimitsEnabled: boolean;
  modelLimits: string;
  /** Comma list; empty = none. */
  operationLimits: string;
  allowIps: string;
  denyIps: string;
  group: string;
  /** Requests allowed per `rateLimitSeconds`; 0 = the token has no limit of its own. */
  rateLimitCount: number;
  rateLimitSeconds: number;
  rateLimitMessage: string;
  /** Tokens of models within a minute; 0 = no limit of its own. */
  tokensPerMinute: number;
  /** Requests in flight; 0 = no limit of its own. */
  concurrencyLimit: number;
  /** Unix seconds; 0 = requests are not captured, -1 = they always are. */
  captureUntil: number;
};

export type UserRow = Budgets & {
  id: number;
  username: string;
  role: number;
  status: number;
  group: string;
  /** Maximum concurrent requests; 0 = no limit. */
  concurrencyLimit: number;
  /** 0 = no limit. */
  requestsPerMinute: number;
  tokensPerMinute: number;
  /** True = models without a price are charged the default price. False = they are refused. */
  acceptsUnpriced: boolean;
};

/** All channels, disabled ones included. */
export async function listChannelRows(sql: Sql): Promise<ChannelRow[]> {
  return await sql<ChannelRow[]>`
    select id, type, key_cipher as "keyCipher", openai_organization as "openaiOrganization", status, name, weight,
      priority, base_url as "baseUrl", other, models, "group", model_mapping as "modelMapping",
      status_code_mapping as "statusCodeMapping", auto_ban as "autoBan", setting, param_override as "paramOverride",
      private_allowed as "privateAllowed",
      requests_per_minute as "requestsPerMinute", tokens_per_minute as "tokensPerMinute",
      concurrency_limit as "concurrencyLimit", several.keys
    from channels
    left join (
      select channel_id, json_agg(json_build_object('id', id, 'keyCipher', key_cipher, 'status', status) order by id) as keys
      from channel_keys group by channel_id
    ) several on several.channel_id = channels.id
    order by id`;
}

export type FoundToken = { keyHash: string; token: TokenRow; user: UserRow };

/** The first of the hashes that there is. Null when there is no such token, or the token or its owner is deleted. */
export async function findTokenByHash(sql: Sql, [first = "", second]: readonly string[]): Promise<FoundToken | null> {
  const rows = await sql<(TokenRow & { keyHash: string; user: UserRow })[]>`
    select t.key_hash as "keyHash", t.id, t.user_id as "userId", t.key_hint as "keyHint", t.status, t.name, t.expired_time as "expiredTime",
      t.unlimited_quota as "unlimitedQuota", t.model_limits_enabled as "modelLimitsEnabled",
      t.model_limits as "modelLimits", t.operation_limits as "operationLimits", t.allow_ips as "allowIps",
      t.deny_ips as "denyIps", t."group", t.rate_limit_count as "rateLimitCount",
      t.rate_limit_seconds as "rateLimitSeconds", t.rate_limit_message as "rateLimitMessage",
      t.tokens_per_minute as "tokensPerMinute", t.concurrency_limit as "concurrencyLimit",
      t.budget_day as "budgetDay", t.budget_week as "budgetWeek", t.budget_month as "budgetMonth",
      t.capture_until as "captureUntil",
      json_build_object('id', u.id, 'username', u.username, 'role', u.role, 'status', u.status, 'group', u."group",
        'concurrencyLimit', u.concurrency_limit, 'requestsPerMinute', u.requests_per_minute,
        'tokensPerMinute', u.tokens_per_minute, 'budgetDay', u.budget_day, 'budgetWeek', u.budget_week,
        'budgetMonth', u.budget_month,
        'acceptsUnpriced', u.setting -> 'accept_unset_model_ratio_model' = 'true'::jsonb is true) as "user"
    from tokens t join users u on u.id = t.user_id
    where ${second === undefined ? sql`t.key_hash = ${first}` : sql`t.key_hash in (${first}, ${second})`}
      and t.deleted_at is null and u.deleted_at is null`;
  const row = rows.find(({ keyHash }) => keyHash === first) ?? rows[0];
  if (!row) return null;
  const { user, keyHash, ...token } = row;
  return { keyHash, token, user };
}

/** Whether there may be keys of which only a hash is known. They come from LiteLLM alone (tools/import). */
export async function hasImportedKeys(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`
    select exists (select from import_sources where system = 'litellm') as found`;
  return row?.found === true;
}

export type Balances = {
  remainQuota: number;
  tokenUsedQuota: number;
  unlimitedQuota: boolean;
  expiredTime: number;
  userQuota: number;
  userUsedQuota: number;
};

/** Null when the user has no such token. */
export async function readBalances(
  sql: Sql,
  { id, userId }: Pick<TokenRow, "id" | "userId">,
): Promise<Balances | null> {
  const rows = await sql<Balances[]>`
    select t.remain_quota as "remainQuota", t.used_quota as "tokenUsedQuota", t.unlimited_quota as "unlimitedQuota",
      t.expired_time as "expiredTime", u.quota as "userQuota", u.used_quota as "userUsedQuota"
    from tokens t join users u on u.id = t.user_id where t.id = ${id} and t.user_id = ${userId}`;
  return rows[0] ?? null;
}
