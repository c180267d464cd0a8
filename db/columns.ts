import { sql } from "drizzle-orm";
import { bigint, customType } from "drizzle-orm/pg-core";

/** Quota: a whole number of internal money units (500,000 = 1 USD unless QuotaPerUnit says otherwise). */
export const quota = () => bigint({ mode: "number" });

/** A moment in unix seconds, the unit of the wire contract. */
export const unixSeconds = () => bigint({ mode: "number" });

/** The current second, as a column default. Cast alone would round, and half of all rows would come from the future. */
export const nowSeconds = sql`floor(extract(epoch from now()))::bigint`;

/** Case-insensitive text is compared by lower(); this is plain jsonb typed by the caller. */
export const json = customType<{ data: unknown; driverData: string }>({
  dataType: () => "jsonb",
  toDriver: (value) => JSON.stringify(value),
  fromDriver: (value) => (typeof value === "string" ? JSON.parse(value) : value),
});
