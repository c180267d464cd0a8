import { amountText } from "@/lib/money/amount";
import type { QuotaDisplay } from "@/lib/money/display";
import type { ExportWords, NamedValues } from "./words";

export const EXPORT_FORMATS = ["csv", "jsonl"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

type Value = string | number | boolean | null;

export type ExportField<Row> = {
  name: string;
  /** What its heading says in a file for people, where `name` alone would not tell; a key of "export.column". */
  label?: string;
  read: (row: Row) => Value;
  /** An amount of quota: a file for people has it as money, and as quota in a last column. */
  isQuota?: true;
  /** A coded value that has a name in a file for people. */
  named?: NamedValues;
};

/** Converts rows to text: `head` begins the file, `write` converts a batch. */
export type RowWriter<Row> = { contentType: string; head: string; write: (rows: readonly Row[]) => string };

/**
 * Writes rows as CSV (RFC 4180, with a byte-order mark for spreadsheets) or as one JSON object per line. CSV is for
 * people and follows `words`, if given; JSON has names and quota as in /api. `more` holds fields for JSON only.
 */
export function rowWriter<Row>(
  format: ExportFormat,
  fields: readonly ExportField<Row>[],
  words: ExportWords | null,
  more: (row: Row) => object = () => ({}),
): RowWriter<Row> {
  if (format === "csv") {
    const columns = words ? wordColumns(fields, words) : fields;
    return {
      contentType: "text/csv; charset=utf-8",
      head: `\uFEFF${toCsvLine(columns.map(({ name }) => name))}`,
      write: (rows) => rows.map((row) => toCsvLine(columns.map(({ read }) => read(row)))).join(""),
    };
  }
  const toObject = (row: Row) => ({
    ...Object.fromEntries(fields.map(({ name, read }) => [name, read(row)])),
    ...more(row),
  });
  return {
    contentType: "application/x-ndjson; charset=utf-8",
    head: "",
    write: (rows) => rows.map((row) => `${JSON.stringify(toObject(row))}\n`).join(""),
  };
}

/** Columns with headings and values in the user's language; amounts are plain decimals under the currency's symbol. */
function wordColumns<Row>(fields: readonly ExportField<Row>[], words: ExportWords): ExportField<Row>[] {
  const { display } = words;
  const quota = fields.filter(({ isQuota }) => isQuota);
  const inQuota = quota.map((field) => ({ ...field, name: words.quotaHeading(field.label ?? field.name) }));
  if (!display.inCurrency) return fields.map((field) => inQuota[quota.indexOf(field)] ?? wordColumn(field, words));
  return [...fields.map((field) => wordColumn(field, words)), ...inQuota];
}

function wordColumn<Row>(field: ExportField<Row>, words: ExportWords): ExportField<Row> {
  const { name, label = name, read, isQuota, named } = field;
  const heading = words.heading(label);
  if (isQuota) {
    const { display } = words;
    return { name: `${heading} (${display.symbol.trim()})`, read: (row) => toMoney(read(row), display) };
  }
  if (!named) return { name: heading, read };
  return { name: heading, read: (row) => words.value(named, String(read(row))) };
}

/** A number for spreadsheets, with all its decimals; null stays empty. */
function toMoney(quota: Value, display: QuotaDisplay): Value {
  if (typeof quota !== "number") return quota;
  return Number.isSafeInteger(quota) ? amountText(quota, display) : quota / display.quotaPerUnit;
}

/** A time (unix seconds) as ISO 8601 text in UTC; "" for 0. */
export function toMoment(seconds: number): string {
  return seconds > 0 ? new Date(seconds * 1000).toISOString() : "";
}

/** One line of CSV. A text that a spreadsheet would run as a formula gets an apostrophe in front. */
export function toCsvLine(values: readonly Value[]): string {
  return `${values.map(toCsvField).join(",")}\r\n`;
}

function toCsvField(value: Value): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  if (/^-?\d+(\.\d+)?$/.test(value)) return value;
  const safe = /^[=+\-@\t\r\n\uFF0B\uFF0D\uFF1D\uFF20]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
