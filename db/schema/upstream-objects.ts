import { index, integer, pgTable, primaryKey, text, varchar } from "drizzle-orm/pg-core";
import { json, unixSeconds } from "../columns";

/**
 * What upstreams keep for users, written with the charge of the request that made it. Only the account that made an
 * object has it: a channel, and one of its keys. Another user's id is not found.
 */
export const upstreamObjects = pgTable(
  "upstream_objects",
  {
    userId: integer("user_id").notNull(),
    /** response | item | file | batch */
    kind: varchar({ length: 16 }).notNull(),
    /** As the upstream gave it. */
    objectId: text("object_id").notNull(),
    channelId: integer("channel_id").notNull(),
    /** SHA-256 of the channel's key, which may have another place among the keys by now. */
    keyHash: varchar("key_hash", { length: 64 }).notNull(),
    createdAt: unixSeconds().notNull(),
    expiresAt: unixSeconds().notNull(),
    /** Of the answer that it belongs to, with its prompt: what a request reads that builds on it; null = not known. */
    tokens: integer(),
    /** The key that made it: keys with limits of their own see nothing else. Null = not known. */
    tokenId: integer("token_id"),
    /** What lists show of a file or a batch, and what a file of requests consists of; null = nothing. */
    details: json(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.kind, table.objectId] }),
    index("upstream_objects_expires_idx").on(table.expiresAt),
  ],
);
