import { sql } from "drizzle-orm";
import { bigint, index, integer, pgTable, text, uniqueIndex, varchar } from "drizzle-orm/pg-core";
import { json, quota, unixSeconds } from "../columns";

/** Drawing tasks. Times are unix MILLISECONDS, as on the wire. */
export const midjourneys = pgTable(
  "midjourneys",
  {
    id: integer().primaryKey().generatedByDefaultAsIdentity(),
    code: integer().notNull().default(0),
    userId: integer("user_id").notNull(),
    action: varchar({ length: 40 }).notNull(),
    mjId: varchar("mj_id", { length: 64 }).notNull(),
    prompt: text().notNull().default(""),
    promptEn: text("prompt_en").notNull().default(""),
    description: text().notNull().default(""),
    state: text().notNull().default(""),
    submitTime: bigint("submit_time", { mode: "number" }).notNull().default(0),
    startTime: bigint("start_time", { mode: "number" }).notNull().default(0),
    finishTime: bigint("finish_time", { mode: "number" }).notNull().default(0),
    imageUrl: text("image_url").notNull().default(""),
    status: varchar({ length: 20 }).notNull().default(""),
    progress: varchar({ length: 30 }).notNull().default("0%"),
    failReason: text("fail_reason").notNull().default(""),
    channelId: integer("channel_id").notNull().default(0),
    quota: quota().notNull().default(0),
    buttons: json().notNull().default(sql`'[]'::jsonb`),
    properties: json().notNull().default(sql`'{}'::jsonb`),
  },
  (table) => [
    index("midjourneys_user_idx").on(table.userId, table.id),
    index("midjourneys_mj_idx").on(table.mjId),
    index("midjourneys_submit_idx").on(table.submitTime),
    index("midjourneys_status_idx").on(table.status, table.id),
    index("midjourneys_action_idx").on(table.action, table.id),
    index("midjourneys_channel_idx").on(table.channelId, table.id),
  ],
);

/** Other asynchronous tasks (music). Times are unix seconds. */
export const tasks = pgTable(
  "tasks",
  {
    id: integer().primaryKey().generatedByDefaultAsIdentity(),
    createdAt: unixSeconds().notNull(),
    updatedAt: unixSeconds().notNull(),
    taskId: varchar("task_id", { length: 64 }).notNull(),
    platform: varchar({ length: 30 }).notNull(),
    userId: integer("user_id").notNull(),
    channelId: integer("channel_id").notNull().default(0),
    quota: quota().notNull().default(0),
    action: varchar({ length: 40 }).notNull(),
    status: varchar({ length: 20 }).notNull().default(""),
    failReason: text("fail_reason").notNull().default(""),
    submitTime: unixSeconds().notNull().default(0),
    startTime: unixSeconds().notNull().default(0),
    finishTime: unixSeconds().notNull().default(0),
    progress: varchar({ length: 20 }).notNull().default(""),
    properties: json().notNull().default(sql`'{}'::jsonb`),
    data: json(),
  },
  (table) => [
    uniqueIndex("tasks_task_key").on(table.platform, table.taskId),
    index("tasks_user_idx").on(table.userId, table.id),
    index("tasks_task_idx").on(table.taskId),
    index("tasks_submit_idx").on(table.submitTime),
    index("tasks_status_idx").on(table.status, table.id),
    index("tasks_action_idx").on(table.action, table.id),
    index("tasks_channel_idx").on(table.channelId, table.id),
  ],
);
