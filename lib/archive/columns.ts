type ColumnType = "int32" | "int64" | "boolean" | "text" | "json";
export type ArchiveColumn = { name: string; type: ColumnType; nullable: boolean };

/** One row by the names of its columns; json is text. 64-bit numbers of the log are below 2^53. */
export type ArchiveRow = Record<string, string | number | boolean | null>;

/** What its texts come to. */
export function charactersOf(row: ArchiveRow): number {
  let sum = 0;
  for (const name in row) {
    const value = row[name];
    if (typeof value === "string") sum += value.length;
  }
  return sum;
}

const column = (name: string, type: ColumnType, nullable = false): ArchiveColumn => ({ name, type, nullable });

/** The columns of usage_logs, all but `hidden`: hidden rows are not archived. A new column goes to the end. */
export const LOG_ARCHIVE_COLUMNS: readonly ArchiveColumn[] = [
  column("id", "int64"),
  column("created_at", "int64"),
  column("request_id", "text"),
  column("type", "int32"),
  column("user_id", "int32"),
  column("username", "text"),
  column("token_id", "int32"),
  column("token_name", "text"),
  column("channel_id", "int32"),
  column("model_name", "text"),
  column("group", "text"),
  column("quota", "int64"),
  column("cost", "int64", true),
  column("unbilled_cost", "int64"),
  column("unknown_costs", "int32", true),
  column("prompt_tokens", "int32"),
  column("completion_tokens", "int32"),
  column("use_time_ms", "int32"),
  column("first_token_ms", "int32", true),
  column("is_stream", "boolean"),
  column("client_ip", "text"),
  column("content", "text"),
  column("status_code", "int32", true),
  column("error_code", "text"),
  column("error_cause", "text"),
  column("repeats", "int32"),
  column("other", "json"),
];
