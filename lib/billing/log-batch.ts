import { LOG_TYPE } from "@/lib/row-status";
import { extrasOf, sumRows } from "./outbox-batch";
import type { LogColumns, SettlementRow } from "./settlement-row";

/** Arguments of weir_book_to_log. */
export type LogBatch = {
  /** JSON: sums by hour, user, token, channel, model and group. */
  items: string;
  /** JSON: rows that make tasks or objects; null = there is none. */
  extras: string | null;
  /** JSON of each row's `other`, one a line: JSON has no line breaks. */
  others: string;
  /** A column of the log, as PostgreSQL writes arrays; null = each row has the default. */
  column: (name: keyof LogColumns) => string | null;
};

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

/** Null = they have to be booked as JSON. */
export function toLogBatch(rows: readonly SettlementRow[]): LogBatch | null {
  const sums = sumRows(rows);
  if (!sums) return null;
  const columns = rows.flatMap((row) => row.columns ?? []);
  return {
    items: JSON.stringify(sums),
    extras: extrasOf(rows),
    others: rows.map(({ other }) => other).join("\n"),
    column: (name) => toArray(columns, name, DEFAULTS[name]),
  };
}

function toArray(rows: readonly LogColumns[], name: keyof LogColumns, absent: unknown): string | null {
  if (rows.every((row) => row[name] === absent)) return null;
  const values = rows.map((row) => {
    const value = row[name];
    return typeof value === "string" ? quoted(value) : (value ?? "null");
  });
  return `{${values.join(",")}}`;
}

function quoted(text: string): string {
  return /["\\]/.test(text) ? `"${text.replaceAll(/["\\]/g, "\\$&")}"` : `"${text}"`;
}
