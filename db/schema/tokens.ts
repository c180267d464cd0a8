import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
  varchar,
} from "drizzle-orm/pg-core";
import { checkSafeTotals, nowSeconds, quota, unixSeconds } from "../columns";
import { users } from "./users";

/** API keys of users. The key is stored as a hash for look-up and encrypted so that the owner can reveal it. */
export const tokens = pgTable(
  "tokens",
  {
    id: integer().notNull().generatedByDefaultAsIdentity(),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id),
    keyHash: text("key_hash").notNull(),
    keyCipher: text("key_cipher").notNull(),
    keyHint: varchar("key_hint", { length: 16 }).notNull(),
    status: integer().notNull().default(1),
    name: varchar({ length: 64 }).notNull(),
    createdTime: unixSeconds().notNull().default(nowSeconds),
    accessedTime: unixSeconds().notNull().default(0),
    expiredTime: unixSeconds().notNull().default(-1),
    remainQuota: quota().notNull().default(0),
    reserved: quota().notNull().default(0),
    usedQuota: quota().notNull().default(0),
    /**
     * The limit in all: remaining + used. A trigger sets it for a new row (migration 0010). It changes only when the owner
     * changes the limit; not kept while the token is unlimited.
     */
    grantedQuota: quota().notNull().default(0),
    unlimitedQuota: boolean("unlimited_quota").notNull().default(false),
    modelLimitsEnabled: boolean("model_limits_enabled").notNull().default(false),
    modelLimits: text("model_limits").notNull().default(""),
    /** Comma list of what it may be used for; empty = everything. */
    operationLimits: text("operation_limits").notNull().default(""),
    allowIps: text("allow_ips").notNull().default(""),
    denyIps: text("deny_ips").notNull().default(""),
    group: varchar({ length: 64 }).notNull().default(""),
    /** Requests allowed per rate_limit_seconds; 0 = no limit for this token. */
    rateLimitCount: integer("rate_limit_count").notNull().default(0),
    rateLimitSeconds: integer("rate_limit_seconds").notNull().default(60),
    /** Message for requests over the limit; empty = the default text. */
    rateLimitMessage: text("rate_limit_message").notNull().default(""),
    /** Tokens of models, prompt and answer, within a minute; 0 = no limit. */
    tokensPerMinute: integer("tokens_per_minute").notNull().default(0),
    /** Requests in flight at once; 0 = no limit. */
    concurrencyLimit: integer("concurrency_limit").notNull().default(0),
    /** What may be spent in a day, week and month of the operator's time zone; 0 = no limit. */
    budgetDay: quota().notNull().default(0),
    budgetWeek: quota().notNull().default(0),
    budgetMonth: quota().notNull().default(0),
    /** Until when its requests are captured: 0 = they are not, -1 = until that is switched off. */
    captureUntil: unixSeconds().notNull().default(0),
    /** An administrator switched that on, not the key's user. */
    captureByAdmin: boolean("capture_by_admin").notNull().default(false),
    deletedAt: timestamp("deleted_at", { withTimezone: true }),
  },
  (table) => [
    checkSafeTotals("tokens_amounts_safe", [table.remainQuota, table.reserved, table.usedQuota]),
    checkSafeTotals("tokens_budgets_safe", [table.budgetDay, table.budgetWeek, table.budgetMonth]),
    primaryKey({ name: "tokens_pkey", columns: [table.id, table.userId] }),
    // The directory: a key says whose it is. So it cannot have the user in it.
    uniqueIndex("tokens_key_hash_key").on(table.keyHash),
    index("tokens_user_idx").on(table.userId, table.id),
    index("tokens_expiry_idx").on(table.expiredTime).where(sql`expired_time > 0`),
    check("tokens_reserved_not_negative", sql`${table.reserved} >= 0`),
    // Refuses a statement that writes the remaining quota without what was used since it was read.
    check(
      "tokens_remain_is_granted_less_used",
      sql`${table.unlimitedQuota} or ${table.remainQuota} = ${table.grantedQuota} - ${table.usedQuota}`,
    ),
  ],
);
