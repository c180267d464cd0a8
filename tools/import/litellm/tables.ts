import type { Source, SourceRow } from "../types";
import { textOf } from "../values";

export const TABLES = {
  user: "LiteLLM_UserTable",
  team: "LiteLLM_TeamTable",
  key: "LiteLLM_VerificationToken",
  budget: "LiteLLM_BudgetTable",
  model: "LiteLLM_ProxyModelTable",
  credential: "LiteLLM_CredentialsTable",
} as const;

const ROWS_AT_ONCE = 1_000;

/** The rows of a table that has a key of text, in parts; none where there is no such table. */
export async function* partsOf(
  source: Source | null,
  table: string,
  key: string,
  columns: readonly string[],
): AsyncGenerator<SourceRow[]> {
  if (!source?.tables.has(table)) return;
  for (let after = ""; ; ) {
    const rows = await source.page(table, columns, { key, after, limit: ROWS_AT_ONCE });
    if (rows.length > 0) yield rows;
    const last = rows.at(-1)?.[key];
    if (rows.length < ROWS_AT_ONCE || typeof last !== "string") return;
    after = last;
  }
}

/** A list of texts. */
export function listOf(row: SourceRow, column: string): string[] {
  const value: unknown = row[column];
  const items = Array.isArray(value)
    ? value
    : textOf(row, column)
        .replace(/^\{|\}$/g, "")
        .split(",");
  return items.map((item) => String(item).trim()).filter((item) => item !== "");
}

/** A time in unix seconds; null = none. */
export function timeOf(row: SourceRow, column: string): number | null {
  const value = row[column];
  const time = value instanceof Date ? value.getTime() : Date.parse(String(value ?? ""));
  return Number.isFinite(time) ? Math.floor(time / 1_000) : null;
}

/** Whether a JSON column says anything. */
export function isSaid(row: SourceRow, column: string): boolean {
  return !["", "{}", "[]", "null"].includes(textOf(row, column).replaceAll(/\s/g, ""));
}
