import { type AnyColumn, type SQL, sql } from "drizzle-orm";
import { bigint, check, customType } from "drizzle-orm/pg-core";

/** Quota: an integer number of internal money units (500,000 = 1 USD unless QuotaPerUnit says otherwise). */
export const quota = () => bigint({ mode: "number" });

/** Beyond 2^53 a number of JavaScript is no longer exact, so no amount ever gets there. */
export function checkSafeAmounts(name: string, columns: readonly AnyColumn[]) {
  const bounds = columns.map((column) => sql`${column} between -9007199254740991 and 9007199254740991`);
  return check(name, sql.join(bounds, sql` and `) as SQL);
}

/**
 * The same in a shorter form, for tables that every flush of settlements writes: PostgreSQL parses a table's constraints
 * anew in each statement that writes to it, and this is half as long. -2^63, which has no abs, is refused for that.
 */
export function checkSafeTotals(name: string, columns: readonly AnyColumn[]) {
  const sizes = columns.map((column) => sql`abs(${column})`);
  return check(name, sql`greatest(${sql.join(sizes, sql`, `)}) <= 9007199254740991`);
}

/** A time in unix seconds, the unit of the wire contract. */
export const unixSeconds = () => bigint({ mode: "number" });

/** The current second, as a column default. The cast alone would round up half of the time, to a second in the future. */
export const nowSeconds = sql`floor(extract(epoch from now()))::bigint`;

/** jsonb whose type the caller of the column declares. */
export const json = customType<{ data: unknown; driverData: string }>({
  dataType: () => "jsonb",
  toDriver: (value) => JSON.stringify(value),
  fromDriver: (value) => (typeof value === "string" ? JSON.parse(value) : value),
});

export const bytea = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => "bytea" });
