import type { UsageLog } from "./types";

export const EXPORT_FORMATS = ["csv", "jsonl"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

type Value = string | number | boolean | null;
type Field = { name: string; read: (row: UsageLog) => Value };

const COMMON: readonly Field[] = [
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
const OF_ADMINISTRATORS: readonly Field[] = [
  { name: "user_id", read: (row) => row.userId },
  { name: "token_id", read: (row) => row.tokenId },
  { name: "channel", read: (row) => row.channelId },
  { name: "channel_name", read: (row) => row.channelName },
  { name: "retry", read: (row) => triedChannels(row).join("->") },
];

/** Rows of the log as text, in the columns that the reader may see. */
export type LogWriter = { contentType: string; head: string; write: (rows: readonly UsageLog[]) => string };

/** Writes rows as CSV (RFC 4180, with a byte-order mark for spreadsheets) or as one JSON object a line. */
export function logWriter(format: ExportFormat, isAdmin: boolean): LogWriter {
  const fields = isAdmin ? [...COMMON, ...OF_ADMINISTRATORS] : COMMON;
  if (format === "csv") {
    return {
      contentType: "text/csv; charset=utf-8",
      head: `\uFEFF${toCsvLine(fields.map(({ name }) => name))}`,
      write: (rows) => rows.map((row) => toCsvLine(fields.map(({ read }) => read(row)))).join(""),
    };
  }
  const toObject = (row: UsageLog) => ({
    ...Object.fromEntries(fields.map(({ name, read }) => [name, read(row)])),
    other: row.other,
  });
  return {
    contentType: "application/x-ndjson; charset=utf-8",
    head: "",
    write: (rows) => rows.map((row) => `${JSON.stringify(toObject(row))}\n`).join(""),
  };
}

/** One line of a CSV file. A text that a spreadsheet would run as a formula is told to be text by an apostrophe. */
export function toCsvLine(values: readonly Value[]): string {
  return `${values.map(toCsvField).join(",")}\r\n`;
}

function toCsvField(value: Value): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  const safe = /^[=+\-@\t\r\n\uFF0B\uFF0D\uFF1D\uFF20]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function triedChannels({ other }: UsageLog): string[] {
  const info = other.admin_info;
  if (typeof info !== "object" || info === null || !("use_channel" in info)) return [];
  return Array.isArray(info.use_channel) ? info.use_channel.map(String) : [];
}
