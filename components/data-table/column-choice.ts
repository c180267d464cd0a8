import type { Column } from "./column";

/** Columns that the user switched on (true) or off (false), by id. Untouched columns are missing. */
export type ColumnChoice = Readonly<Record<string, boolean>>;

/** Lists with selectable columns. The value is the key in the browser's storage and the name of the cookie. */
export const COLUMN_KEYS = { channels: "channels-table-columns", logs: "logs-table-columns" } as const;
export type ColumnList = keyof typeof COLUMN_KEYS;

/** The choice in the cookie. Invalid text means no choice. */
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

/** Removes the hidden columns. A column that was switched on shows at every width. */
export function applyColumnChoice<Row>(columns: readonly Column<Row>[], choice: ColumnChoice): Column<Row>[] {
  return columns
    .filter(({ id }) => choice[id] !== false)
    .map((column) => {
      if (choice[column.id] !== true) return column;
      const { from: _from, ...always } = column;
      return always;
    });
}
