import type { ExportField, ExportFormat } from "./write-rows";

/** A column of an export: its id, and whether it is an amount. */
export type TableColumn<Row, Name extends string> = ExportField<Row> & { name: Name; isQuota?: true };

/** How people read an export: the names of its columns, and amounts as money; `symbol` null = amounts stay quota. */
export type TableWording<Name extends string> = {
  nameOf: (name: Name) => string;
  quotaPerUnit: number;
  symbol: string | null;
};

/** Enough decimals for a request's amount; a spreadsheet adds them up without a visible difference. */
const MONEY_DIGITS = 6;

/**
 * The columns as fields of a file. CSV is for people: names in their language and amounts in money, with its symbol in the
 * column's name. JSON lines are for programs: ids, and amounts in quota.
 */
export function tableFields<Row, Name extends string>(
  columns: readonly TableColumn<Row, Name>[],
  format: ExportFormat,
  { nameOf, quotaPerUnit, symbol }: TableWording<Name>,
): ExportField<Row>[] {
  if (format !== "csv") return columns.map(({ name, read }) => ({ name, read }));
  return columns.map(({ name, read, isQuota }) => {
    if (!isQuota || symbol === null) return { name: nameOf(name), read };
    const toMoney = (value: ReturnType<typeof read>) =>
      typeof value === "number" ? Number((value / quotaPerUnit).toFixed(MONEY_DIGITS)) : value;
    return { name: `${nameOf(name)} (${symbol})`, read: (row: Row) => toMoney(read(row)) };
  });
}
