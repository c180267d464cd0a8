import { sql } from "drizzle-orm";
import {
  bigint,
  doublePrecision,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
  varchar,
} from "drizzle-orm/pg-core";
import { checkSafeAmounts, nowSeconds, quota, unixSeconds } from "../columns";

/** Redemption codes. Status: 1 unused, 2 disabled, 3 used. */
export const redemptions = pgTable(
  "redemptions",
  {
    id: integer().primaryKey().generatedByDefaultAsIdentity(),
    userId: integer("user_id").notNull(),
    key: varchar({ length: 32 }).notNull(),
    status: integer().notNull().default(1),
    name: varchar({ length: 64 }).notNull(),
    quota: quota().notNull(),
    createdTime: unixSeconds().notNull().default(nowSeconds),
    redeemedTime: unixSeconds().notNull().default(0),
    /** 0 = never. */
    expiredTime: unixSeconds().notNull().default(0),
    usedUserId: integer("used_user_id").notNull().default(0),
    deletedAt: timestamp("deleted_at", { withTimezone: true }),
  },
  (table) => [
    checkSafeAmounts("redemptions_amounts_safe", [table.quota]),
    uniqueIndex("redemptions_key_key").on(table.key),
    index("redemptions_live_idx").on(table.id).where(sql`deleted_at is null`),
    index("redemptions_name_idx").on(table.name, table.id).where(sql`deleted_at is null`),
    index("redemptions_status_idx").on(table.status, table.id).where(sql`deleted_at is null`),
    index("redemptions_quota_idx").on(table.quota, table.id).where(sql`deleted_at is null`),
    index("redemptions_created_idx").on(table.createdTime, table.id).where(sql`deleted_at is null`),
    index("redemptions_redeemed_idx").on(table.redeemedTime, table.id).where(sql`deleted_at is null`),
  ],
);

/** Online purchases. Status: pending, success, expired. `amount` is in units, `money` in local currency. */
export const topUps = pgTable(
  "top_ups",
  {
    id: integer().notNull().generatedByDefaultAsIdentity(),
    userId: integer("user_id").notNull(),
    amount: integer().notNull(),
    money: doublePrecision().notNull(),
    tradeNo: varchar("trade_no", { length: 64 }).notNull(),
    paymentMethod: varchar("payment_method", { length: 24 }).notNull().default(""),
    status: varchar({ length: 16 }).notNull().default("pending"),
    /** epay | stripe */
    provider: varchar({ length: 16 }).notNull().default("epay"),
    currency: varchar({ length: 8 }).notNull().default(""),
    /** The quota that a paid order credits, fixed when the order is created. */
    quota: quota().notNull().default(0),
    /** The provider's id of the order; at Stripe, of the Checkout session. */
    providerReference: text("provider_reference").notNull().default(""),
    /** The provider's id of the payment, by which refunds and disputes name the order. */
    paymentReference: text("payment_reference").notNull().default(""),
    /** When the provider was last asked about the unpaid order; 0 = never. */
    checkedTime: unixSeconds().notNull().default(0),
    /** What refunds and disputes have taken back so far, in hundredths and as quota. */
    reversedCents: bigint({ mode: "number" }).notNull().default(0),
    reversedQuota: quota().notNull().default(0),
    createTime: unixSeconds().notNull().default(nowSeconds),
    completeTime: unixSeconds().notNull().default(0),
  },
  (table) => [
    checkSafeAmounts("top_ups_amounts_safe", [table.quota]),
    primaryKey({ name: "top_ups_pkey", columns: [table.id, table.userId] }),
    uniqueIndex("top_ups_user_trade_no_key").on(table.tradeNo, table.userId).concurrently(),
    index("top_ups_user_idx").on(table.userId, table.id),
    index("top_ups_status_idx").on(table.status, table.id),
    index("top_ups_provider_idx").on(table.provider, table.id),
    index("top_ups_created_idx").on(table.createTime, table.id),
    index("top_ups_payment_idx").on(table.paymentReference).where(sql`payment_reference <> ''`),
  ],
);

/**
 * Refunds and disputes as the provider last described them, one row each. What an order loses is computed from its rows,
 * so that repeated and reordered events change nothing.
 */
export const paymentReversals = pgTable(
  "payment_reversals",
  {
    id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    provider: varchar({ length: 16 }).notNull(),
    /** The provider's id of the refund or dispute; of the charge for a sum of refunds. */
    reversalId: text("reversal_id").notNull(),
    /** refund | charge | dispute */
    kind: varchar({ length: 16 }).notNull(),
    tradeNo: varchar("trade_no", { length: 64 }).notNull(),
    cents: bigint({ mode: "number" }).notNull(),
    /** open | final | void: void takes nothing back. Open rows may change, the others not. */
    state: varchar({ length: 8 }).notNull(),
    createdAt: unixSeconds().notNull().default(nowSeconds),
    updatedAt: unixSeconds().notNull().default(nowSeconds),
  },
  (table) => [
    uniqueIndex("payment_reversals_id_key").on(table.provider, table.reversalId),
    index("payment_reversals_trade_idx").on(table.tradeNo),
  ],
);
