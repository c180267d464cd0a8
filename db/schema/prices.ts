import { bigint, index, integer, pgTable, text, uniqueIndex, uuid, varchar } from "drizzle-orm/pg-core";
import { json, nowSeconds, unixSeconds } from "../columns";

/** A saved change of prices: who, when, from where. Append-only, like its entries (a trigger refuses anything else). */
export const priceChanges = pgTable(
  "price_changes",
  {
    id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    /** What one save writes in several transactions is one change. */
    token: uuid().notNull(),
    /** editor | list | sync | wire | undo | restore */
    source: varchar({ length: 16 }).notNull(),
    /** The change that this one takes back. */
    undoOf: bigint("undo_of", { mode: "number" }),
    actorId: integer("actor_id"),
    clientIp: varchar("client_ip", { length: 64 }).notNull().default(""),
    createdAt: unixSeconds().notNull().default(nowSeconds),
  },
  (table) => [uniqueIndex("price_changes_token_key").on(table.token)],
);

/** One entry of a price option before and after a change; null = the operator had set nothing. */
export const priceChangeEntries = pgTable(
  "price_change_entries",
  {
    id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    changeId: bigint("change_id", { mode: "number" })
      .notNull()
      .references(() => priceChanges.id),
    /** The option. */
    key: text().notNull(),
    /** The model, or the group of GroupRatio. */
    name: text().notNull(),
    before: json(),
    after: json(),
  },
  (table) => [
    index("price_change_entries_change_idx").on(table.changeId, table.id),
    index("price_change_entries_name_idx").on(table.name.op("text_pattern_ops"), table.changeId),
  ],
);
