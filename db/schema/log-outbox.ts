import { bigint, integer, pgTable, primaryKey, smallint, text } from "drizzle-orm/pg-core";
import { nowSeconds, unixSeconds } from "../columns";

/**
 * Rows of the usage log on their way to the log store (LOG_STORE_URL): one row here for each flush. `body` has the rows as
 * lines of JSON; `skipped` are the positions of those that had been settled before and are no rows. The id of a log row is
 * this id × 4096 + its position, above every id of usage_logs.
 */
export const logOutbox = pgTable("log_outbox", {
  id: bigint({ mode: "number" }).primaryKey().generatedByDefaultAsIdentity({ startWith: 1_048_576 }),
  createdAt: unixSeconds().notNull().default(nowSeconds),
  rowCount: integer("row_count").notNull(),
  /** Null = none. */
  skipped: integer().array(),
  body: text().notNull(),
});

/** What is sent to the log store together. What a batch holds never changes, so that it can be sent again. */
export const logBatches = pgTable("log_batches", {
  /** Random, so that no other batch ever has it, whatever a restored backup or a fail-over has forgotten. */
  id: bigint({ mode: "number" }).primaryKey(),
  createdAt: unixSeconds().notNull().default(nowSeconds),
  /** Where it is sent, from 1 on; 1 without a cluster. */
  shard: integer().notNull(),
  /** Rows of log_outbox, in the order in which they are sent. */
  outboxIds: bigint("outbox_ids", { mode: "number" }).array().notNull(),
});

/**
 * Requests that were settled while a log store was in use: a settlement that is repeated changes nothing. Partitioned by
 * `slot`, the day of created_at modulo 4, so that a whole day goes at once (lib/log-store/settled-commands.ts).
 */
export const settledRequests = pgTable(
  "settled_requests",
  {
    createdAt: unixSeconds().notNull(),
    userId: integer("user_id").notNull(),
    slot: smallint().notNull(),
    requestId: text("request_id").notNull(),
  },
  // Ids are in the order of time, so that new ones share a page of the index.
  (table) => [primaryKey({ columns: [table.requestId, table.createdAt, table.userId, table.slot] })],
);
