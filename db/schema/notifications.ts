import { sql } from "drizzle-orm";
import { bigint, boolean, index, integer, pgTable, text, uniqueIndex, varchar } from "drizzle-orm/pg-core";
import { json, nowSeconds, unixSeconds } from "../columns";
import { users } from "./users";

/** Where a user receives messages: e-mail, webhook, push services, chat robots. The configuration is encrypted. */
export const notificationTargets = pgTable(
  "notification_targets",
  {
    id: integer().primaryKey().generatedByDefaultAsIdentity(),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id),
    /** email | webhook | wxpusher | bark | gotify | dingtalk | feishu | wecom | telegram | discord */
    kind: varchar({ length: 16 }).notNull(),
    name: varchar({ length: 64 }).notNull().default(""),
    configCipher: text("config_cipher").notNull(),
    /** The part of the configuration that may be shown, e.g. the host of a webhook. */
    hint: text().notNull().default(""),
    /** Event types sent to this target. */
    events: text().array().notNull().default(sql`'{}'::text[]`),
    enabled: boolean().notNull().default(true),
    createdAt: unixSeconds().notNull().default(nowSeconds),
    lastSentAt: unixSeconds(),
    lastError: text("last_error").notNull().default(""),
  },
  (table) => [index("notification_targets_user_idx").on(table.userId)],
);

/** Messages to a user, also shown in the console. A unique dedupe_key enforces "at most once in two hours". */
export const notifications = pgTable(
  "notifications",
  {
    id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id),
    event: varchar({ length: 32 }).notNull(),
    params: json().notNull().default(sql`'{}'::jsonb`),
    dedupeKey: text("dedupe_key").notNull(),
    createdAt: unixSeconds().notNull().default(nowSeconds),
    readAt: unixSeconds(),
  },
  (table) => [
    uniqueIndex("notifications_dedupe_key").on(table.dedupeKey),
    index("notifications_user_idx").on(table.userId, table.id),
  ],
);

/** The outbox: one row per notification and target, retried until it is sent or fails for good. */
export const notificationDeliveries = pgTable(
  "notification_deliveries",
  {
    id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    notificationId: bigint("notification_id", { mode: "number" })
      .notNull()
      .references(() => notifications.id, { onDelete: "cascade" }),
    targetId: integer("target_id")
      .notNull()
      .references(() => notificationTargets.id, { onDelete: "cascade" }),
    /** pending | sent | failed */
    status: varchar({ length: 12 }).notNull().default("pending"),
    attempts: integer().notNull().default(0),
    nextAttemptAt: unixSeconds().notNull().default(nowSeconds),
    lastError: text("last_error").notNull().default(""),
  },
  (table) => [
    uniqueIndex("notification_deliveries_key").on(table.notificationId, table.targetId),
    index("notification_deliveries_due_idx").on(table.nextAttemptAt).where(sql`status = 'pending'`),
  ],
);
