import type { Sql } from "@/db/client";
import type { AppliedCharge } from "./lease";
import type { Settlement } from "./types";

export type FlushResult = {
  /** How many settlements were new. The others were committed before and changed nothing. */
  inserted: number;
  charges: AppliedCharge[];
};

const MAX_INT = 2 ** 31 - 1;

function encodeBatch(settlements: readonly Settlement[]): string {
  const text = JSON.stringify(settlements.map(toRow));
  // PostgreSQL accepts neither NUL nor an unpaired surrogate; such text must not prevent a charge. The plain search
  // runs first because it is many times faster than the regular expression and hardly ever matches.
  if (!text.includes("\\u") || !/\\u0000|\\ud[89a-f]/i.test(text)) return text;
  return JSON.stringify(JSON.parse(text, cleanText));
}

function cleanText(_key: string, value: unknown): unknown {
  if (typeof value === "string") return Buffer.from(value.replaceAll("\0", "")).toString();
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [cleanText("", key), item]));
}

function toRow(item: Settlement): Record<string, unknown> {
  return {
    request_id: item.requestId,
    created_at: item.createdAt,
    type: item.type,
    user_id: item.userId,
    username: item.username.slice(0, 64),
    token_id: item.tokenId,
    token_name: item.tokenName.slice(0, 64),
    channel_id: item.channelId,
    model_name: item.modelName.slice(0, 512),
    group: item.group.slice(0, 64),
    quota: item.quota,
    prompt_tokens: toInt(item.usage.promptTokens),
    completion_tokens: toInt(item.usage.completionTokens),
    use_time_ms: toInt(item.useTimeMs),
    first_token_ms: item.firstTokenMs === null ? null : toInt(item.firstTokenMs),
    is_stream: item.isStream,
    hidden: item.hidden,
    client_ip: item.clientIp.slice(0, 64),
    content: item.content.slice(0, 20_000),
    other: item.other,
  };
}

function toInt(value: number): number {
  return Number.isFinite(value) ? Math.min(Math.max(0, Math.round(value)), MAX_INT) : 0;
}

type FlushRow = { inserted: number; userId: number | null; tokenId: number; dropped: number; left: number };

/**
 * Commits a batch: inserts the new log rows and adds the sums of exactly those to users, tokens, channels, leases and
 * usage_hourly. A settlement whose log row already exists changes nothing.
 */
export async function flushBatch(sql: Sql, nodeId: string, settlements: readonly Settlement[]): Promise<FlushResult> {
  const batch = encodeBatch(settlements);
  const ids = {
    users: distinct(settlements.map((item) => item.userId)),
    tokens: distinct(settlements.map((item) => item.tokenId)),
    channels: distinct(settlements.map((item) => item.channelId)),
  };
  // The function in db/functions/book-settlements.sql: one round trip and one transaction.
  const rows = await sql<FlushRow[]>`
    select inserted, charged_user as "userId", charged_token as "tokenId", dropped_quota as dropped, left_quota as "left"
    from weir_book_settlements(${nodeId}, ${ids.users}::int[], ${ids.tokens}::int[], ${ids.channels}::int[],
      ${batch}::text::json)`;
  const charges: AppliedCharge[] = [];
  for (const { userId, tokenId, dropped, left } of rows) {
    if (userId !== null) charges.push({ userId, tokenId, dropped, left });
  }
  return { inserted: rows[0]?.inserted ?? 0, charges };
}

function distinct(ids: number[]): number[] {
  return [...new Set(ids)];
}
