import { ArchiveError } from "./archive-error";
import type { ArchiveColumn, ArchiveRow } from "./columns";

const INT32_MAX = 2 ** 31 - 1;
/** Half of a pair of surrogates is no text, and PostgreSQL stores no NUL. */
const WHOLE_TEXT = /^[^\0\p{Surrogate}]*$/u;

/** Throws ArchiveError for a value that no row of the log has, so that a restore does not stop in the middle because of it. */
export function assertRows(rows: readonly ArchiveRow[], columns: readonly ArchiveColumn[]): void {
  for (const row of rows) {
    for (const column of columns) {
      if (isValue(row[column.name] ?? null, column)) continue;
      throw new ArchiveError(`The row ${String(row.id).slice(0, 30)} has a wrong value in ${column.name}.`);
    }
  }
}

function isValue(value: unknown, { type, nullable }: ArchiveColumn): boolean {
  if (value === null) return nullable;
  if (type === "boolean") return typeof value === "boolean";
  if (type === "int32") return Number.isInteger(value) && Math.abs(value as number) <= INT32_MAX;
  if (type === "int64") return Number.isSafeInteger(value);
  if (typeof value !== "string" || !WHOLE_TEXT.test(value)) return false;
  return type === "text" || isJson(value);
}

/** An escaped NUL, which is none after another backslash. */
const NUL = /(?<!\\)(?:\\\\)*\\u0000/;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return !NUL.test(text);
  } catch {
    return false;
  }
}
