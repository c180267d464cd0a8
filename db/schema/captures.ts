import { bigint, index, integer, pgTable, text, uniqueIndex, varchar } from "drizzle-orm/pg-core";
import { nowSeconds, unixSeconds } from "../columns";

/** Requests that were captured with their answers (lib/capture). What they say is redacted, sealed, and kept for a time. */
export const captures = pgTable(
  "captures",
  {
    id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    requestId: varchar("request_id", { length: 64 }).notNull(),
    userId: integer("user_id").notNull(),
    tokenId: integer("token_id").notNull(),
    createdAt: unixSeconds().notNull().default(nowSeconds),
    expiresAt: unixSeconds().notNull(),
    path: text().notNull(),
    modelName: text("model_name").notNull(),
    /** HTTP status that the caller saw; 0 = the caller left, or the answer was cut. */
    status: integer().notNull(),
    requestBytes: bigint("request_bytes", { mode: "number" }).notNull(),
    answerBytes: bigint("answer_bytes", { mode: "number" }).notNull(),
    /** A sealed Capture of lib/capture/types.ts. */
    sealed: text().notNull(),
  },
  (table) => [
    uniqueIndex("captures_request_key").on(table.requestId),
    index("captures_user_idx").on(table.userId, table.id),
    index("captures_expires_idx").on(table.expiresAt),
  ],
);

/** Captures that were dropped because the queue was full or the database away, by hour. */
export const captureLosses = pgTable("capture_losses", {
  hour: unixSeconds().primaryKey(),
  count: bigint({ mode: "number" }).notNull(),
});
