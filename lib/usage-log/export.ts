import { type ExportField, type ExportFormat, type RowWriter, rowWriter } from "@/lib/export/write-rows";
import type { UsageLog } from "./types";

const COMMON: readonly ExportField<UsageLog>[] = [
  { name: "id", read: (row) => row.id },
  { name: "request_id", read: (row) => row.requestId },
  { name: "created_at", read: (row) => new Date(row.createdAt * 1000).toISOString() },
  { name: "type", read: (row) => row.type },
  { name: "username", read: (row) => row.username },
  { name: "token_name", read: (row) => row.tokenName },
  { name: "group", read: (row) => row.group },
  { name: "model_name", read: (row) => row.modelName },
  { name: "is_stream", read: (row) => row.isStream },
  { name: "use_time_ms", read: (row) => row.useTimeMs },
  { name: "first_token_ms", read: (row) => row.firstTokenMs },
  { name: "prompt_tokens", read: (row) => row.promptTokens },
  { name: "completion_tokens", read: (row) => row.completionTokens },
  { name: "quota", read: (row) => row.quota },
  { name: "client_ip", read: (row) => row.clientIp },
  { name: "content", read: (row) => row.content },
];

/** What only administrators see of a row (B207). */
const OF_ADMINISTRATORS: readonly ExportField<UsageLog>[] = [
  { name: "user_id", read: (row) => row.userId },
  { name: "token_id", read: (row) => row.tokenId },
  { name: "channel", read: (row) => row.channelId },
  { name: "channel_name", read: (row) => row.channelName },
  { name: "retry", read: (row) => triedChannels(row).join("->") },
];

/** Writes rows of the log in the columns that the reader may see. */
export function logWriter(format: ExportFormat, isAdmin: boolean): RowWriter<UsageLog> {
  return rowWriter(format, isAdmin ? [...COMMON, ...OF_ADMINISTRATORS] : COMMON, ({ other }) => ({ other }));
}

function triedChannels({ other }: UsageLog): string[] {
  const info = other.admin_info;
  if (typeof info !== "object" || info === null || !("use_channel" in info)) return [];
  return Array.isArray(info.use_channel) ? info.use_channel.map(String) : [];
}
