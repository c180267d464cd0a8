import type postgres from "postgres";
import { rewriteBooks } from "@/lib/testing/rewrite-books";
import { SUMS_JOBS } from "../lib/statistics/sums-queries";
import { withDatabase } from "./media-rows";

export type UsageRow = {
  requestId: string;
  username: string;
  userId: number;
  createdAt: number;
  type?: number;
  model?: string;
  token?: string;
  channelId?: number;
  group?: string;
  quota?: number;
  promptTokens?: number;
  completionTokens?: number;
  useTimeMs?: number;
  firstTokenMs?: number | null;
  content?: string;
  statusCode?: number | null;
  errorCode?: string;
  repeats?: number;
  other?: Record<string, unknown>;
};

/** Inserts log rows into the run's database and adds them to the hourly sums, as a settlement does. */
export function addUsage(rows: UsageRow[]): Promise<void> {
  return withDatabase(async (sql) => {
    for (const row of rows) await add(sql, row);
  });
}

/** Removes all log rows and sums of the run's own server. */
export function clearUsage(): Promise<void> {
  return withDatabase(async (sql) => {
    await rewriteBooks(
      sql,
      (tx) => tx`
        truncate usage_logs, usage_hourly, usage_user_hours, usage_model_hours, usage_spans, usage_channel_model_spans, channel_hourly`,
    );
  });
}

async function add(sql: postgres.Sql, row: UsageRow): Promise<void> {
  const {
    requestId,
    username,
    userId,
    createdAt,
    type = 2,
    model = "gpt-4o",
    token = "main",
    channelId = 0,
    group = "default",
    quota = 100,
    promptTokens = 30,
    completionTokens = 40,
    useTimeMs = 1_500,
    firstTokenMs = null,
    content = "",
    statusCode = null,
    errorCode = "",
    repeats = 0,
    other = {},
  } = row;
  await sql`
    insert into usage_logs (request_id, created_at, type, user_id, username, token_name, channel_id, model_name, "group",
      quota, prompt_tokens, completion_tokens, use_time_ms, first_token_ms, is_stream, content, status_code, error_code, error_cause, repeats, other)
    values (${requestId}, ${createdAt}, ${type}, ${userId}, ${username}, ${token}, ${channelId}, ${model}, ${group}, ${quota},
      ${promptTokens}, ${completionTokens}, ${useTimeMs}, ${firstTokenMs}, ${firstTokenMs !== null}, ${content},
      ${statusCode}, ${errorCode}, ${content}, ${repeats}, ${sql.json(other as postgres.JSONValue)})`;
  if (type !== 2) return;
  await sql`
    insert into usage_hourly as total (hour, user_id, token_id, channel_id, model_name, "group", count, quota, prompt_tokens, completion_tokens)
    values (${createdAt - (createdAt % 3_600)}, ${userId}, 0, ${channelId}, ${model}, ${group}, 1, ${quota}, ${promptTokens}, ${completionTokens})
    on conflict (hour, user_id, token_id, channel_id, model_name, "group") do update set count = total.count + 1,
      quota = total.quota + excluded.quota, prompt_tokens = total.prompt_tokens + excluded.prompt_tokens,
      completion_tokens = total.completion_tokens + excluded.completion_tokens`;
  // As for a charge that is booked late: its hour is summed anew.
  await sql`
    update job_positions set position = least(position, ${createdAt - (createdAt % 3_600)})
    where job = any(${[...SUMS_JOBS]})`;
}
