import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  doublePrecision,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
  uuid,
  varchar,
} from "drizzle-orm/pg-core";
import { checkSafeAmounts, checkSafeTotals, json, nowSeconds, quota, unixSeconds } from "../columns";
import { users } from "./users";

/** Every change of a balance other than metered consumption. Append-only. */
export const ledgerEntries = pgTable(
  "ledger_entries",
  {
    id: bigint({ mode: "number" }).notNull().generatedAlwaysAsIdentity(),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id),
    amount: quota().notNull(),
    /** grant | adjustment | redemption | topup | invitation | transfer | refund | reversal */
    kind: varchar({ length: 24 }).notNull(),
    reference: text().notNull(),
    actorId: integer("actor_id"),
    note: text().notNull().default(""),
    createdAt: unixSeconds().notNull().default(nowSeconds),
  },
  (table) => [
    checkSafeAmounts("ledger_entries_amounts_safe", [table.amount]),
    primaryKey({ name: "ledger_entries_pkey", columns: [table.id, table.userId] }),
    uniqueIndex("ledger_entries_reference_key").on(table.reference),
    index("ledger_entries_user_idx").on(table.userId, table.id),
  ],
);

/**
 * What the nightly check found of a block of 1,000 ids of ledger_entries, so that a later change of an old entry shows even
 * where the balance was changed with it. The last block grows.
 */
export const ledgerSeals = pgTable("ledger_seals", {
  block: bigint({ mode: "number" }).primaryKey(),
  /** Entries of the block up to this id. */
  untilId: bigint("until_id", { mode: "number" }).notNull(),
  rows: integer().notNull(),
  amount: quota().notNull(),
  /** The sum of a hash of each entry. */
  digest: text().notNull(),
  sealedAt: unixSeconds().notNull().default(nowSeconds),
});

/** Statements of finished months as they were first issued. What is booked for such a month later is in a later one. */
export const monthStatements = pgTable(
  "month_statements",
  {
    userId: integer("user_id")
      .notNull()
      .references(() => users.id),
    /** yyyy-MM */
    month: varchar({ length: 7 }).notNull(),
    username: varchar({ length: 64 }).notNull(),
    displayName: varchar("display_name", { length: 64 }).notNull(),
    email: text().notNull(),
    /** Its lines and sums, in quota (lib/topup/month-statement-types.ts). */
    document: json().notNull(),
    /** What it contains by the day of the booking: [first second, requests, tokens, charged, credited]. */
    days: json().notNull(),
    issuedAt: unixSeconds().notNull().default(nowSeconds),
  },
  (table) => [primaryKey({ columns: [table.userId, table.month] })],
);

/** How amounts were shown when a month closed; its statements keep that. */
export const statementUnits = pgTable("statement_units", {
  month: varchar({ length: 7 }).primaryKey(),
  inCurrency: boolean("in_currency").notNull(),
  quotaPerUnit: doublePrecision("quota_per_unit").notNull(),
  symbol: text().notNull(),
  closedAt: unixSeconds().notNull().default(nowSeconds),
});

/**
 * Metered consumption by user × token × channel × model × group × hour, less what was refunded for tasks. Rows are never deleted.
 * Every flush updates rows of the current hour. No index has a column that changes, so that an update writes none of them
 * (HOT). What a user's chart needs of finished hours is in usage_user_hours.
 */
export const usageHourly = pgTable(
  "usage_hourly",
  {
    hour: bigint({ mode: "number" }).notNull(),
    userId: integer("user_id").notNull(),
    tokenId: integer("token_id").notNull(),
    channelId: integer("channel_id").notNull(),
    modelName: text("model_name").notNull(),
    group: varchar({ length: 64 }).notNull(),
    count: quota().notNull().default(0),
    quota: quota().notNull().default(0),
    promptTokens: quota().notNull().default(0),
    completionTokens: quota().notNull().default(0),
    /** What the upstreams should bill, as far as known; also for requests that failed, which `count` leaves out. */
    cost: quota().notNull().default(0),
    /** The part of `cost` for which nobody is charged. */
    unbilledCost: quota().notNull().default(0),
    /** Attempts whose cost is not known. Null = none is known, because the row is of a version that knew no costs. */
    unknownCosts: quota(),
    /** How many of its rows were booked hidden (LogConsumeEnabled off). Null = a version that did not count them wrote it. */
    hiddenCount: quota(),
  },
  (table) => [
    checkSafeTotals("usage_hourly_amounts_safe", [
      table.count,
      table.quota,
      table.promptTokens,
      table.completionTokens,
    ]),
    checkSafeTotals("usage_hourly_costs_safe", [table.cost, table.unbilledCost, table.unknownCosts]),
    primaryKey({
      columns: [table.hour, table.userId, table.tokenId, table.channelId, table.modelName, table.group],
    }),
    index("usage_hourly_user_hour_idx").on(table.userId, table.hour).concurrently(),
    index("usage_hourly_channel_hour_idx").on(table.channelId, table.hour).concurrently(),
  ],
);

/**
 * What processes have charged for a channel while another one locked its row; not yet part of its `used_quota`. A process
 * adds its rows there with its next charge that finds the channel free, else a job does.
 */
export const channelCharges = pgTable(
  "channel_charges",
  {
    nodeId: uuid("node_id").notNull(),
    channelId: integer("channel_id").notNull(),
    quota: quota().notNull(),
  },
  (table) => [primaryKey({ columns: [table.nodeId, table.channelId] })],
);

/** usage_hourly summed over all users, for hours before the job's position (lib/statistics). */
export const usageModelHours = pgTable(
  "usage_model_hours",
  {
    hour: bigint({ mode: "number" }).notNull(),
    modelName: text("model_name").notNull(),
    group: varchar({ length: 64 }).notNull(),
    count: quota().notNull(),
    quota: quota().notNull(),
    tokens: quota().notNull(),
    cost: quota().notNull().default(0),
    unbilledCost: quota().notNull().default(0),
    /** Null = no cost of it is known. */
    unknownCosts: quota(),
  },
  (table) => [primaryKey({ columns: [table.hour, table.modelName, table.group] })],
);

/** usage_hourly summed by user, model and group, for hours before the position of its job (lib/statistics). */
export const usageUserHours = pgTable(
  "usage_user_hours",
  {
    userId: integer("user_id").notNull(),
    hour: bigint({ mode: "number" }).notNull(),
    modelName: text("model_name").notNull(),
    group: varchar({ length: 64 }).notNull(),
    count: quota().notNull(),
    quota: quota().notNull(),
    tokens: quota().notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.hour, table.modelName, table.group] })],
);

/**
 * usage_hourly summed by a single dimension over aligned time spans that end at or before the job's position. The index
 * by quota finds the highest spenders without reading all rows.
 */
export const usageSpans = pgTable(
  "usage_spans",
  {
    /** user | token | channel */
    dimension: varchar({ length: 8 }).notNull(),
    /** Length of the span. `start` is a multiple of it. */
    hours: integer().notNull(),
    start: bigint({ mode: "number" }).notNull(),
    /** The id of the user, token or channel. */
    key: integer().notNull(),
    count: quota().notNull(),
    quota: quota().notNull(),
    tokens: quota().notNull(),
    cost: quota().notNull().default(0),
    unbilledCost: quota().notNull().default(0),
    /** Null = no cost of it is known. */
    unknownCosts: quota(),
  },
  (table) => [
    primaryKey({ columns: [table.dimension, table.hours, table.start, table.key] }),
    index("usage_spans_quota_idx").on(table.dimension, table.hours, table.start, table.quota),
  ],
);

/**
 * usage_hourly summed by channel and model over aligned time spans that end at or before the position of its job: what a model
 * brought in and cost at a channel.
 */
export const usageChannelModelSpans = pgTable(
  "usage_channel_model_spans",
  {
    /** Length of the span. `start` is a multiple of it. */
    hours: integer().notNull(),
    start: bigint({ mode: "number" }).notNull(),
    channelId: integer("channel_id").notNull(),
    modelName: text("model_name").notNull(),
    count: quota().notNull(),
    quota: quota().notNull(),
    cost: quota().notNull(),
    unbilledCost: quota().notNull(),
    unknownCosts: quota().notNull(),
  },
  (table) => [primaryKey({ columns: [table.hours, table.start, table.channelId, table.modelName] })],
);

/** Live gateway processes; one heartbeat row each. */
export const nodes = pgTable("nodes", {
  id: uuid().primaryKey(),
  name: text().notNull().default(""),
  heartbeatAt: timestamp("heartbeat_at", { withTimezone: true }).notNull().defaultNow(),
});

/** Parts of a balance that a gateway process has reserved. token_id 0 = the user's balance; otherwise the token's limit. */
export const leases = pgTable(
  "leases",
  {
    nodeId: uuid("node_id")
      .notNull()
      .references(() => nodes.id),
    userId: integer("user_id").notNull(),
    tokenId: integer("token_id").notNull().default(0),
    amount: quota().notNull(),
  },
  (table) => [
    checkSafeAmounts("leases_amounts_safe", [table.amount]),
    primaryKey({ columns: [table.nodeId, table.userId, table.tokenId] }),
    index("leases_user_idx").on(table.userId, table.tokenId),
    check("leases_amount_not_negative", sql`${table.amount} >= 0`),
  ],
);

/** What a user or token had used when its current day, week or month began. */
export const budgetPeriods = pgTable(
  "budget_periods",
  {
    /** Whose it is; of a token, its user. 0 = a row of the version before. */
    userId: integer("user_id").notNull().default(0),
    /** user | token */
    owner: varchar({ length: 8 }).notNull(),
    ownerId: integer("owner_id").notNull(),
    /** day | week | month */
    period: varchar({ length: 8 }).notNull(),
    start: unixSeconds().notNull(),
    baseline: quota().notNull(),
  },
  (table) => [
    checkSafeAmounts("budget_periods_amounts_safe", [table.baseline]),
    primaryKey({ columns: [table.owner, table.ownerId, table.period] }),
    uniqueIndex("budget_periods_user_key").on(table.userId, table.owner, table.ownerId, table.period).concurrently(),
  ],
);

/** Parts of a budget that a gateway process holds for requests in flight. They end with their node. */
export const budgetHolds = pgTable(
  "budget_holds",
  {
    /** Whose it is; of a token, its user. 0 = a row of the version before. */
    userId: integer("user_id").notNull().default(0),
    owner: varchar({ length: 8 }).notNull(),
    ownerId: integer("owner_id").notNull(),
    nodeId: uuid("node_id")
      .notNull()
      .references(() => nodes.id, { onDelete: "cascade" }),
    amount: quota().notNull(),
  },
  (table) => [
    checkSafeAmounts("budget_holds_amounts_safe", [table.amount]),
    primaryKey({ columns: [table.owner, table.ownerId, table.nodeId] }),
    uniqueIndex("budget_holds_user_key").on(table.userId, table.owner, table.ownerId, table.nodeId).concurrently(),
    index("budget_holds_node_idx").on(table.nodeId),
  ],
);

/** Checks of the books: what was compared and what differed. */
export const reconcileRuns = pgTable("reconcile_runs", {
  id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
  startedAt: unixSeconds().notNull(),
  finishedAt: unixSeconds().notNull().default(nowSeconds),
  /** Rows compared, by check. */
  checked: json().notNull(),
  /** The first differences; `differenceCount` counts all. */
  differences: json().notNull(),
  differenceCount: integer("difference_count").notNull(),
});

/** Charges that PostgreSQL refused for good. `row` is the row of usage_logs; one that is booked after all is removed. */
export const refusedSettlements = pgTable(
  "refused_settlements",
  {
    requestId: text("request_id").primaryKey(),
    userId: bigint("user_id", { mode: "number" }).notNull(),
    quota: quota().notNull(),
    row: text().notNull(),
    /** SQLSTATE; "" = the database gave none. */
    code: varchar({ length: 5 }).notNull(),
    message: text().notNull(),
    attempts: integer().notNull().default(1),
    refusedAt: unixSeconds().notNull().default(nowSeconds),
    triedAt: unixSeconds().notNull().default(nowSeconds),
  },
  (table) => [index("refused_settlements_tried_idx").on(table.triedAt)],
);
