import type { Column } from "./column";

/** Columns that a reader has switched on or off, by id; those never touched are not in it. */
export type ColumnChoice = Readonly<Record<string, boolean>>;

/** Lists whose columns can be chosen, each with where that is remembered: in the browser's storage, and in a cookie. */
export const COLUMN_KEYS = { channels: "channels-table-columns", logs: "logs-table-columns" } as const;
export type ColumnList = keyof typeof COLUMN_KEYS;

/** What was chosen, from the text of the cookie; anything that is none counts as nothing chosen. */
export function readColumnChoice(text: string | undefined): ColumnChoice {
  if (!text) return {};
  try {
    const value: unknown = JSON.parse(decodeURIComponent(text));
    if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
    return Object.fromEntries(Object.entries(value).filter(([, isOn]) => typeof isOn === "boolean"));
  } catch {
    return {};
  }
}

/** The columns that are left. One that was switched on is there at every width. */
export function applyColumnChoice<Row>(columns: readonly Column<Row>[], choice: ColumnChoice): Column<Row>[] {
  return columns
    .filter(({ id }) => choice[id] !== false)
    .map((column) => {
      if (choice[column.id] !== true) return column;
      const { from: _from, ...always } = column;
      return always;
    });
}
