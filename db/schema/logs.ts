import { sql } from "drizzle-orm";
import { bigint, boolean, index, integer, pgTable, text, uniqueIndex, varchar } from "drizzle-orm/pg-core";
import { checkSafeAmounts, json, nowSeconds, quota, unixSeconds } from "../columns";

/**
 * Usage log, partitioned by created_at (migrations create the partitions). (request_id, user_id, created_at) is unique,
 * so that replaying a settlement changes nothing; an id comes from the sequence alone. `hidden` rows exist only for that guarantee (LogConsumeEnabled off) and are
 * never listed.
 */
export const usageLogs = pgTable(
  "usage_logs",
  {
    id: bigint({ mode: "number" }).generatedByDefaultAsIdentity().notNull(),
    requestId: text("request_id").notNull(),
    createdAt: unixSeconds().notNull(),
    type: integer().notNull().default(2),
    userId: integer("user_id").notNull(),
    username: varchar({ length: 64 }).notNull().default(""),
    tokenId: integer("token_id").notNull().default(0),
    tokenName: varchar("token_name", { length: 64 }).notNull().default(""),
    channelId: integer("channel_id").notNull().default(0),
    modelName: text("model_name").notNull().default(""),
    group: varchar({ length: 64 }).notNull().default(""),
    quota: quota().notNull().default(0),
    /** What the upstreams should bill for all attempts, as far as known. Null = nothing of it is known, or no request. */
    cost: quota(),
    /** The part of `cost` for which nobody is charged: attempts that failed after the upstream had delivered. */
    unbilledCost: quota().notNull().default(0),
    /** Attempts whose cost is not known. Null = the row is of a version that knew no costs, or no request. */
    unknownCosts: integer("unknown_costs"),
    promptTokens: integer("prompt_tokens").notNull().default(0),
    completionTokens: integer("completion_tokens").notNull().default(0),
    useTimeMs: integer("use_time_ms").notNull().default(0),
    firstTokenMs: integer("first_token_ms"),
    isStream: boolean("is_stream").notNull().default(false),
    hidden: boolean().notNull().default(false),
    clientIp: varchar("client_ip", { length: 64 }).notNull().default(""),
    content: text().notNull().default(""),
    /** Of a failed request: the HTTP status that the caller got. Null = none, or the row is older than this column. */
    statusCode: integer("status_code"),
    /** Of a failed request: the code of the error; "" = none. */
    errorCode: varchar("error_code", { length: 64 }).notNull().default(""),
    /** Of a failed request: its text without what differs from one to the next, so that equal causes can be grouped. */
    errorCause: varchar("error_cause", { length: 160 }).notNull().default(""),
    /** How many more requests this row stands for: refused for the same reason, and beyond the rate of such rows. */
    repeats: integer().notNull().default(0),
    other: json().notNull().default(sql`'{}'::jsonb`),
  },
  (table) => [
    checkSafeAmounts("usage_logs_amounts_safe", [table.quota]),
    checkSafeAmounts("usage_logs_costs_safe", [table.cost, table.unbilledCost]),
    uniqueIndex("usage_logs_user_request_key").on(table.requestId, table.userId, table.createdAt).concurrently(),
    // Not unique: every unique index of the table would need the user in it, and be larger.
    index("usage_logs_created_idx").on(table.createdAt, table.id).concurrently(),
    // Each index has the list's order, and counts need only the index. The extra columns at the end cover a second filter
    // beside user or model. The index by token name is in migration 0007.
    index("usage_logs_channel_user_idx")
      .on(table.channelId, table.createdAt, table.id, table.type, table.userId)
      .where(sql`not hidden`)
      .concurrently(),
    index("usage_logs_model_idx")
      .on(table.modelName, table.createdAt, table.id, table.type, table.group)
      .where(sql`not hidden`),
    index("usage_logs_group_idx").on(table.group, table.createdAt, table.id, table.type).where(sql`not hidden`),
    // A search by name is one for the account, often together with a model or a group.
    index("usage_logs_account_idx")
      .on(table.userId, table.createdAt, table.id, table.type, table.modelName, table.group)
      .where(sql`not hidden`)
      .concurrently(),
    index("usage_logs_type_idx").on(table.type, table.createdAt, table.id).where(sql`not hidden`),
    // Failed requests: few, so that the indexes are small. Groups by cause, and the bars over the list, need nothing else, also when
    // the list is filtered by type or group.
    index("usage_logs_failures_idx")
      .on(
        table.createdAt,
        table.id,
        table.errorCode,
        table.statusCode,
        table.channelId,
        table.modelName,
        table.userId,
        table.errorCause,
        table.repeats,
        table.type,
        table.group,
      )
      .where(sql`status_code is not null and not hidden`)
      .concurrently(),
    index("usage_logs_user_failures_idx")
      .on(
        table.userId,
        table.createdAt,
        table.id,
        table.errorCode,
        table.statusCode,
        table.modelName,
        table.errorCause,
        table.repeats,
        table.type,
        table.group,
      )
      .where(sql`status_code is not null and not hidden`)
      .concurrently(),
    // Requests that cost more than they brought in, and what was paid for nothing: few, so that the indexes are small.
    index("usage_logs_loss_idx").on(table.createdAt, table.id).where(sql`cost > quota`),
    index("usage_logs_unbilled_idx").on(table.createdAt, table.id).where(sql`unbilled_cost > 0`),
  ],
);

/** Archives of the log that were stored and read back (lib/archive). */
export const logArchives = pgTable(
  "log_archives",
  {
    id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    name: varchar({ length: 128 }).notNull(),
    /** Where, without options and credentials. */
    place: text().notNull(),
    /** Its rows are of [from, until). */
    fromTime: unixSeconds().notNull(),
    untilTime: unixSeconds().notNull(),
    rows: bigint({ mode: "number" }).notNull(),
    /** The sum of the rows' ids, which may be beyond 64 bits. */
    idSum: text("id_sum").notNull(),
    bytes: bigint({ mode: "number" }).notNull(),
    /** Of the manifest. */
    sha256: varchar({ length: 64 }).notNull(),
    createdAt: unixSeconds().notNull().default(nowSeconds),
    /** When its rows left the log; null = they are still there. */
    removedAt: unixSeconds(),
  },
  (table) => [
    uniqueIndex("log_archives_name_key").on(table.name),
    index("log_archives_time_idx").on(table.fromTime, table.untilTime),
  ],
);

/** Each time that a time was set before which the log is cleared; the newest of them is that of job_positions. */
export const logClearings = pgTable("log_clearings", {
  id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
  until: unixSeconds().notNull(),
  /** request | retention | import | restore | upgrade */
  reason: varchar({ length: 16 }).notNull(),
  createdAt: unixSeconds().notNull().default(nowSeconds),
});

/** Stretches of the log that were put back out of archives to be looked at; until then they are not deleted. */
export const logRestores = pgTable("log_restores", {
  id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
  fromTime: unixSeconds().notNull(),
  untilTime: unixSeconds().notNull(),
  keepUntil: unixSeconds().notNull(),
});

/** One row while the worker archives what is deleted: how the last try went. */
export const logArchiveStatus = pgTable("log_archive_status", {
  id: integer().primaryKey().default(1),
  place: text().notNull(),
  /** Why the last try failed; null = it did not. */
  failure: text(),
  failingSince: unixSeconds(),
  checkedAt: unixSeconds().notNull(),
});
