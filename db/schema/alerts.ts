import { sql } from "drizzle-orm";
import { bigint, boolean, index, integer, pgTable, text, varchar } from "drizzle-orm/pg-core";
import { checkSafeAmounts, nowSeconds, quota, unixSeconds } from "../columns";
import { users } from "./users";

/** Rules that a job evaluates once a minute; lib/alert. The state is kept here, so that a restart repeats no message. */
export const alertRules = pgTable(
  "alert_rules",
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    /** Who gets the messages. */
    userId: integer("user_id")
      .notNull()
      .references(() => users.id),
    /** own | site; a rule of the site is an administrator's. */
    scope: varchar({ length: 8 }).notNull(),
    name: varchar({ length: 64 }).notNull(),
    /** error_rate | latency | balance | spend */
    metric: varchar({ length: 16 }).notNull(),
    /** account | key; for the site: site | channel | model | user */
    subject: varchar({ length: 16 }).notNull(),
    /** The id of a key, channel or user; 0 = none. */
    subjectId: integer("subject_id").notNull().default(0),
    modelName: text("model_name").notNull().default(""),
    /** above | below */
    comparison: varchar({ length: 8 }).notNull(),
    /** Hundredths of a percent, milliseconds, or quota. */
    threshold: quota().notNull(),
    windowSeconds: integer("window_seconds").notNull(),
    minRequests: integer("min_requests").notNull().default(0),
    /** Empty = the targets that want alerts. */
    targetIds: integer("target_ids").array().notNull().default(sql`'{}'::integer[]`),
    coolDownSeconds: integer("cool_down_seconds").notNull(),
    tellsResolved: boolean("tells_resolved").notNull().default(true),
    mutedUntil: unixSeconds().notNull().default(0),
    enabled: boolean().notNull().default(true),
    createdAt: unixSeconds().notNull().default(nowSeconds),
    /** Null = not yet, or there was not enough to tell. */
    lastValue: quota(),
    evaluatedAt: unixSeconds().notNull().default(0),
    /** When the last message of a firing was sent. */
    notifiedAt: unixSeconds().notNull().default(0),
  },
  (table) => [
    checkSafeAmounts("alert_rules_amounts_safe", [table.threshold, table.lastValue]),
    index("alert_rules_user_idx").on(table.userId, table.id),
    index("alert_rules_due_idx").on(table.evaluatedAt).where(sql`enabled`),
  ],
);

/** The times at which a rule's condition was met. */
export const alertFirings = pgTable(
  "alert_firings",
  {
    id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    ruleId: integer("rule_id")
      .notNull()
      .references(() => alertRules.id, { onDelete: "cascade" }),
    startedAt: unixSeconds().notNull(),
    /** Null = it still fires. */
    endedAt: unixSeconds(),
    value: quota().notNull(),
    /** The value at the end. Null = the rule was changed before. */
    endValue: quota(),
    /** False = muted, or within the cool-down. */
    notified: boolean().notNull(),
  },
  (table) => [
    checkSafeAmounts("alert_firings_amounts_safe", [table.value, table.endValue]),
    index("alert_firings_rule_idx").on(table.ruleId, table.id),
    index("alert_firings_started_idx").on(table.startedAt),
  ],
);
