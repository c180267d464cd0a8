import { sql } from "drizzle-orm";
import { tryWhileLocked } from "@/db/brief-locks";
import type { Database, Sql } from "@/db/client";
import { SQL_STATE, sqlStateOf } from "@/db/sql-state";

export type NewLog = {
  requestId: string;
  createdAt: number;
  type: number;
  userId: number;
  username: string;
  tokenId: number;
  tokenName: string;
  channelId: number;
  modelName: string;
  group: string;
  quota: number;
  promptTokens: number;
  completionTokens: number;
  useTimeMs: number;
  firstTokenMs: number | null;
  isStream: boolean;
  clientIp: string;
  content: string;
  other: Record<string, unknown>;
};

/** Names of users by id. */
export async function namesOf(tx: Database, ids: readonly number[]): Promise<Map<number, string>> {
  const rows = await tx.execute<{ id: number; username: string }>(sql`
    select id, username from users
    where id = any(array(select jsonb_array_elements_text(${JSON.stringify(ids)}::text::jsonb)::integer))`);
  return new Map(rows.map(({ id, username }) => [id, username]));
}

export async function insertLogs(tx: Database, logs: readonly NewLog[]): Promise<void> {
  if (logs.length === 0) return;
  await tx.execute(sql`
    insert into usage_logs (request_id, created_at, type, user_id, username, token_id, token_name, channel_id, model_name,
      "group", quota, prompt_tokens, completion_tokens, use_time_ms, first_token_ms, is_stream, client_ip, content, other)
    select "requestId", "createdAt", type, "userId", username, "tokenId", "tokenName", "channelId", "modelName", "group", quota,
      "promptTokens", "completionTokens", "useTimeMs", "firstTokenMs", "isStream", "clientIp", content, other
    from jsonb_to_recordset(${JSON.stringify(logs)}::text::jsonb) as row("requestId" text, "createdAt" bigint, type integer,
      "userId" integer, username text, "tokenId" integer, "tokenName" text, "channelId" integer, "modelName" text,
      "group" text, quota bigint, "promptTokens" integer, "completionTokens" integer, "useTimeMs" integer,
      "firstTokenMs" integer, "isStream" boolean, "clientIp" text, content text, other jsonb)`);
}

/** Months of the log that a table is there for, or will be made by the worker. */
export type KnownMonths = Set<string>;

/**
 * Makes the log's tables of the months of these times. Where one cannot be made now, because it is in use or has rows in the default
 * table, the rows go there; the worker moves them later.
 */
export async function makeMonths(sql: Sql, times: readonly number[], known: KnownMonths): Promise<void> {
  for (const time of times) {
    const date = new Date(time * 1_000);
    const month = `${date.getUTCFullYear()}-${date.getUTCMonth()}`;
    if (known.has(month)) continue;
    known.add(month);
    try {
      await tryWhileLocked(() => sql`select weir_ensure_log_partitions(${time}::bigint, ${time}::bigint)`);
    } catch (error) {
      if (sqlStateOf(error) !== SQL_STATE.checkViolation) throw error;
    }
  }
}
