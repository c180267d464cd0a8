import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, primaryKey, text, varchar } from "drizzle-orm/pg-core";
import { checkSafeAmounts, json, quota, unixSeconds } from "../columns";

/**
 * Charges of what upstreams work on without us: answers in the background, batches. `reserved` is part of the reserved
 * quota of the user and, where its limit holds, of the token. A row is deleted in the transaction that books its charge.
 */
export const openCharges = pgTable(
  "open_charges",
  {
    /** Of the request that began it, and later of the log row. */
    requestId: varchar("request_id", { length: 64 }).notNull(),
    userId: integer("user_id").notNull(),
    /** 0 = no token. */
    tokenId: integer("token_id").notNull(),
    /** The token whose limit is reserved from; 0 = none. */
    limitedTokenId: integer("limited_token_id").notNull(),
    reserved: quota().notNull(),
    /** response | batch */
    kind: varchar({ length: 16 }).notNull(),
    /** As the upstream gave it. */
    objectId: text("object_id").notNull(),
    channelId: integer("channel_id").notNull(),
    keyHash: varchar("key_hash", { length: 64 }).notNull(),
    /** The row of usage_logs, with nothing used yet. */
    settlement: json().notNull(),
    /** Price, cost and bounds of the usage. */
    terms: json().notNull(),
    createdAt: unixSeconds().notNull(),
    nextPollAt: unixSeconds().notNull(),
    /** From then on the upstream is not asked any more. */
    endsBefore: unixSeconds().notNull(),
  },
  (table) => [
    primaryKey({ name: "open_charges_pkey", columns: [table.requestId, table.userId] }),
    checkSafeAmounts("open_charges_amounts_safe", [table.reserved]),
    check("open_charges_reserved_not_negative", sql`${table.reserved} >= 0`),
    index("open_charges_object_idx").on(table.userId, table.kind, table.objectId),
    index("open_charges_poll_idx").on(table.nextPollAt),
  ],
);
