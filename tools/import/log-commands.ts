import { sql } from "drizzle-orm";
import { tryWhileLocked } from "@/db/brief-locks";
import type { Database, Sql } from "@/db/client";
import { SQL_STATE, sqlStateOf } from "@/db/sql-state";
import { cleanJson } from "@/lib/clean-json";
import { hasLogStore } from "@/lib/env";
import { type LoggedRequest, logRowsToOutbox } from "@/lib/log-store/outbox-commands";

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

/** Users by id there, with their names here. */
export async function findImportedUsers(
  tx: Database,
  sourceId: number,
  oldIds: readonly number[],
): Promise<{ old: number; id: number; username: string }[]> {
  const rows = await tx.execute<{ old: string; id: number; username: string }>(sql`
    select imported.old_id as old, users.id, users.username
    from unnest(${sql.param([...oldIds])}::bigint[]) as wanted(id)
    join import_ids imported on imported.source_id = ${sourceId} and imported.kind = 'users' and imported.old_id = wanted.id
    join users on users.id = imported.new_id`);
  return rows.map((row) => ({ ...row, old: Number(row.old) }));
}

/** Keys by id there, with whose they are here. */
export async function findImportedTokens(
  tx: Database,
  sourceId: number,
  oldIds: readonly number[],
): Promise<{ old: number; id: number; userId: number }[]> {
  const rows = await tx.execute<{ old: string; id: number; userId: number }>(sql`
    select imported.old_id as old, tokens.id, tokens.user_id as "userId"
    from unnest(${sql.param([...oldIds])}::bigint[]) as wanted(id)
    join import_ids imported on imported.source_id = ${sourceId} and imported.kind = 'tokens' and imported.old_id = wanted.id
    join tokens on tokens.id = imported.new_id`);
  return rows.map((row) => ({ ...row, old: Number(row.old) }));
}

/** Into PostgreSQL's log, or on their way to the log store, in the transaction of the batch. */
export async function insertLogs(tx: Database, logs: readonly NewLog[]): Promise<void> {
  if (logs.length === 0) return;
  if (hasLogStore()) return logRowsToOutbox(tx, logs.map(toOutbox));
  // Arrays cost PostgreSQL less than rows of JSON.
  const column = (of: (log: NewLog) => unknown) => sql.param(logs.map(of));
  await tx.execute(sql`
    insert into usage_logs (request_id, created_at, type, user_id, username, token_id, token_name, channel_id, model_name,
      "group", quota, prompt_tokens, completion_tokens, use_time_ms, first_token_ms, is_stream, client_ip, content, other)
    select request_id, created_at, type, user_id, username, token_id, token_name, channel_id, model_name, group_name, quota,
      prompt_tokens, completion_tokens, use_time_ms, first_token_ms, is_stream <> 0, client_ip, content, other::jsonb
    from unnest(
      ${column((log) => log.requestId)}::text[], ${column((log) => log.createdAt)}::bigint[],
      ${column((log) => log.type)}::integer[], ${column((log) => log.userId)}::integer[],
      ${column((log) => log.username)}::text[], ${column((log) => log.tokenId)}::integer[],
      ${column((log) => log.tokenName)}::text[], ${column((log) => log.channelId)}::integer[],
      ${column((log) => log.modelName)}::text[], ${column((log) => log.group)}::text[],
      ${column((log) => log.quota)}::bigint[], ${column((log) => log.promptTokens)}::integer[],
      ${column((log) => log.completionTokens)}::integer[], ${column((log) => log.useTimeMs)}::integer[],
      ${column((log) => log.firstTokenMs)}::integer[], ${column((log) => Number(log.isStream))}::integer[],
      ${column((log) => log.clientIp)}::text[], ${column((log) => log.content)}::text[],
      ${column((log) => cleanJson(JSON.stringify(log.other)))}::text[]) as row(request_id, created_at, type, user_id, username,
      token_id, token_name, channel_id, model_name, group_name, quota, prompt_tokens, completion_tokens, use_time_ms,
      first_token_ms, is_stream, client_ip, content, other)`);
}

function toOutbox(log: NewLog): LoggedRequest {
  return {
    request_id: log.requestId,
    created_at: log.createdAt,
    type: log.type,
    user_id: log.userId,
    username: log.username,
    token_id: log.tokenId,
    token_name: log.tokenName,
    channel_id: log.channelId,
    model_name: log.modelName,
    group: log.group,
    quota: log.quota,
    prompt_tokens: log.promptTokens,
    completion_tokens: log.completionTokens,
    use_time_ms: log.useTimeMs,
    first_token_ms: log.firstTokenMs,
    is_stream: log.isStream,
    client_ip: log.clientIp,
    content: log.content,
    other: log.other,
  };
}

/** Months of the log that a table is there for, or will be made by the worker. */
export type KnownMonths = Set<string>;

/**
 * Makes the log's tables of the months of these times. Where one cannot be made now, because it is in use or has rows in the default
 * table, the rows go there; the worker moves them later.
 */
export async function makeMonths(sql: Sql, times: readonly number[], known: KnownMonths): Promise<void> {
  if (hasLogStore()) return;
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
