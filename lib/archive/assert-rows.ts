import type { ArchiveColumn, ArchiveRow } from "./columns";
import { ArchiveError } from "./storage";

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

/** What PostgreSQL refuses although it is JSON: a NUL, and half of a pair of surrogates. Not after another backslash. */
const NUL = /(?<!\\)(?:\\\\)*\\u0000/;
const HALF = /(?<!\\)(?:\\\\)*\\ud[89a-f]/i;
/** PostgreSQL's parser and JSON.stringify() call themselves for each level. */
const DEPTH_MAX = 500;

function isJson(text: string): boolean {
  try {
    const parsed = JSON.parse(text);
    if (isTooDeep(text)) return false;
    if (!text.includes("\\u")) return true;
    if (NUL.test(text)) return false;
    // Whole pairs are no escapes any more then.
    return !HALF.test(text) || !HALF.test(JSON.stringify(parsed));
  } catch {
    return false;
  }
}

function isTooDeep(text: string): boolean {
  if (text.length <= 2 * DEPTH_MAX) return false;
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (isInText && character === "\\") at += 1;
    else if (character === '"') isInText = !isInText;
    else if (isInText) continue;
    else if (character === "[" || character === "{") depth += 1;
    else if (character === "]" || character === "}") depth -= 1;
    if (depth > DEPTH_MAX) return true;
  }
  return false;
}
