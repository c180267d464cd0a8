import type { SourceRow } from "./types";

const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** A text column; "" for null. PostgreSQL takes no zero byte and no half of a surrogate pair. `char` columns are padded. */
export function textOf(row: SourceRow, column: string): string {
  const value = row[column];
  if (value === null || value === undefined) return "";
  const text = value instanceof Uint8Array ? Buffer.from(value).toString("utf8") : String(value);
  return Buffer.from(text.replaceAll("\0", ""), "utf8").toString("utf8").trim();
}

/** A whole number; null for null, for what is none, and for what is beyond ±2^53. */
export function wholeOf(row: SourceRow, column: string): number | null {
  const value = row[column];
  if (typeof value === "number") return Number.isSafeInteger(Math.trunc(value)) ? Math.trunc(value) : null;
  if (typeof value === "boolean") return Number(value);
  if (value === null || value === undefined || value instanceof Date || value instanceof Uint8Array) return null;
  const text = String(value).trim();
  if (!/^-?\d+(\.0*)?$/.test(text)) return null;
  const whole = BigInt(text.split(".")[0] ?? "0");
  return whole <= SAFE && whole >= -SAFE ? Number(whole) : null;
}

/** The same where an absent value counts as 0. "beyond" = the number cannot be kept exactly, or is none. */
export function amountOf(row: SourceRow, column: string): number | "beyond" {
  const value = row[column];
  if (value === null || value === undefined || value === "") return 0;
  return wholeOf(row, column) ?? "beyond";
}

export function realOf(row: SourceRow, column: string): number {
  const value = Number(row[column] ?? 0);
  return Number.isFinite(value) ? value : 0;
}

/** bool, tinyint, bit or a text. */
export function flagOf(row: SourceRow, column: string): boolean {
  const value = row[column];
  if (value instanceof Uint8Array) return value.some((byte) => byte === 1);
  return value === true || ["1", "true", "t"].includes(String(value ?? "").toLowerCase());
}

/** A time in unix seconds within the years that Weir shows; 0 for none. */
export function secondsOf(row: SourceRow, column: string): number {
  const value = wholeOf(row, column) ?? 0;
  return value > 0 && value < 253_402_300_799 ? value : 0;
}

/** gorm's deleted_at: any value means deleted. */
export function isDeleted(row: SourceRow): boolean {
  return row.deleted_at !== null && row.deleted_at !== undefined && row.deleted_at !== "";
}

export function objectOf(row: SourceRow, column: string): Record<string, unknown> | "empty" | "broken" {
  const text = textOf(row, column);
  if (text === "" || text === "null") return "empty";
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Told by the result.
  }
  return "broken";
}

/** At most `max` characters, none cut in half. */
export function cut(text: string, max: number): string {
  const characters = [...text];
  return characters.length <= max ? text : characters.slice(0, max).join("");
}

const NAME_MAX = 64;
const NUMBERS = [2, 3, 4, 5, 6, 7, 8, 9];

/** Names that are tried for an account whose name is taken: NAME-2 to NAME-9. */
export const otherNames = (username: string): string[] =>
  NUMBERS.map((number) => `${cut(username, NAME_MAX - 2)}-${number}`);
