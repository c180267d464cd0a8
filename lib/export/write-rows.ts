export const EXPORT_FORMATS = ["csv", "jsonl"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

type Value = string | number | boolean | null;

export type ExportField<Row> = { name: string; read: (row: Row) => Value };

/** Converts rows to text: `head` begins the file, `write` converts a batch. */
export type RowWriter<Row> = { contentType: string; head: string; write: (rows: readonly Row[]) => string };

/**
 * Writes rows as CSV (RFC 4180, with a byte-order mark for spreadsheets) or as one JSON object per line. `more` holds
 * fields for JSON only.
 */
export function rowWriter<Row>(
  format: ExportFormat,
  fields: readonly ExportField<Row>[],
  more: (row: Row) => object = () => ({}),
): RowWriter<Row> {
  if (format === "csv") {
    return {
      contentType: "text/csv; charset=utf-8",
      head: `\uFEFF${toCsvLine(fields.map(({ name }) => name))}`,
      write: (rows) => rows.map((row) => toCsvLine(fields.map(({ read }) => read(row)))).join(""),
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
  const safe = /^[=+\-@\t\r\n\uFF0B\uFF0D\uFF1D\uFF20]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
