import { LOG_TYPE } from "@/lib/row-status";
import { extrasOf, sumRows } from "./outbox-batch";
import type { LogColumns, SettlementRow } from "./settlement-row";

/** Columns of the log in the order in which weir_book_to_log takes them, and their types. `other` comes last. */
const COLUMNS = {
  request_id: "text",
  created_at: "bigint",
  type: "int",
  user_id: "int",
  username: "text",
  token_id: "int",
  token_name: "text",
  channel_id: "int",
  model_name: "text",
  group: "text",
  quota: "bigint",
  cost: "bigint",
  unbilled_cost: "bigint",
  unknown_costs: "int",
  prompt_tokens: "int",
  completion_tokens: "int",
  use_time_ms: "int",
  first_token_ms: "int",
  is_stream: "boolean",
  hidden: "boolean",
  client_ip: "text",
  content: "text",
  status_code: "int",
  error_code: "text",
  error_cause: "text",
  repeats: "int",
} as const satisfies Record<keyof LogColumns, string>;
const NAMES = Object.keys(COLUMNS) as (keyof LogColumns)[];

/** What the function puts in place of a column that is null. Every other column is sent with each row. */
const DEFAULTS: Partial<Record<keyof LogColumns, unknown>> = {
  type: LOG_TYPE.consume,
  cost: null,
  unbilled_cost: 0,
  unknown_costs: 0,
  first_token_ms: null,
  is_stream: false,
  hidden: false,
  content: "",
};

/** The last arguments of weir_book_to_log, after so many others. */
export function logParameters(before: number): string {
  const arrays = Object.values(COLUMNS).map((type, place) => `$${before + 3 + place}::text::${type}[]`);
  return `$${before + 1}::text::json, $${before + 2}::text::json, ${arrays.join(", ")}, $${before + 3 + arrays.length}`;
}

/**
 * Their values: as JSON the sums by hour, user, token, channel, model and group; as JSON the rows that make tasks or objects,
 * null = there is none; of each column an array as PostgreSQL writes them, null = each row has the default; and the rows'
 * `other`, one a line, for JSON has no line breaks. Null in place of all = they have to be booked as JSON.
 */
export function logValues(rows: readonly SettlementRow[]): (string | null)[] | null {
  const sums = sumRows(rows);
  if (!sums) return null;
  const values: (string | null)[] = [JSON.stringify(sums), extrasOf(rows)];
  for (const name of NAMES) values.push(toArray(rows, name, DEFAULTS[name]));
  values.push(rows.map(({ other }) => other).join("\n"));
  return values;
}

function toArray(rows: readonly SettlementRow[], name: keyof LogColumns, absent: unknown): string | null {
  if (rows.every(({ columns }) => columns?.[name] === absent)) return null;
  const elements = rows.map(({ columns }) => {
    const value = columns?.[name];
    return typeof value === "string" ? quoted(value) : (value ?? "null");
  });
  return `{${elements.join(",")}}`;
}

function quoted(text: string): string {
  return /["\\]/.test(text) ? `"${text.replaceAll(/["\\]/g, "\\$&")}"` : `"${text}"`;
}
