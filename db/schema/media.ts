import { sql } from "drizzle-orm";
import { bigint, index, integer, pgTable, primaryKey, text, uniqueIndex, varchar } from "drizzle-orm/pg-core";
import { checkSafeAmounts, json, nowSeconds, quota, unixSeconds } from "../columns";

const milliseconds = (name: string) => bigint(name, { mode: "number" }).notNull().default(0);

/**
 * What upstreams make over minutes: drawings, music, videos. A row comes with the charge of its request, in one transaction
 * (weir_book_settlements, weir_keep_extras), and ends once (lib/relay/operations/tasks). Times of the task are unix MILLISECONDS, 0 = not yet.
 */
export const tasks = pgTable(
  "tasks",
  {
    id: integer().notNull().generatedByDefaultAsIdentity(),
    createdAt: unixSeconds().notNull(),
    updatedAt: unixSeconds().notNull(),
    /** Given by us and unguessable: what callers know it by. */
    taskId: varchar("task_id", { length: 64 }).notNull(),
    /** Which kind of upstream makes it: mj, suno … */
    platform: varchar({ length: 30 }).notNull(),
    /** The wire format that its caller spoke. */
    wire: varchar({ length: 30 }).notNull().default(""),
    action: varchar({ length: 40 }).notNull(),
    userId: integer("user_id").notNull(),
    tokenId: integer("token_id").notNull().default(0),
    channelId: integer("channel_id").notNull().default(0),
    /** SHA-256 of the key that made it; "" = not known. */
    keyHash: varchar("key_hash", { length: 64 }).notNull().default(""),
    /** "" = the upstream gave none. */
    upstreamId: text("upstream_id").notNull().default(""),
    /** The request that was charged; null = the row is older than charges of tasks, and is never refunded. */
    requestId: text("request_id"),
    modelName: text("model_name").notNull().default(""),
    group: varchar({ length: 64 }).notNull().default(""),
    /** The price in force when it was submitted, and what was charged at it then. */
    price: json(),
    meters: json().notNull().default(sql`'[]'::jsonb`),
    /** What is charged for it now. */
    quota: quota().notNull().default(0),
    code: integer().notNull().default(0),
    prompt: text().notNull().default(""),
    promptEn: text("prompt_en").notNull().default(""),
    description: text().notNull().default(""),
    state: text().notNull().default(""),
    status: varchar({ length: 20 }).notNull().default(""),
    progress: varchar({ length: 30 }).notNull().default(""),
    failReason: text("fail_reason").notNull().default(""),
    submitTime: milliseconds("submit_time"),
    startTime: milliseconds("start_time"),
    finishTime: milliseconds("finish_time"),
    /** A task that has not ended by then has failed. */
    expiresTime: milliseconds("expires_time"),
    /** When its upstream was last asked. */
    polledTime: milliseconds("polled_time"),
    /** URLs of what was made. */
    results: json().notNull().default(sql`'[]'::jsonb`),
    properties: json().notNull().default(sql`'{}'::jsonb`),
    /** The upstream's last answer. */
    data: json(),
  },
  (table) => [
    checkSafeAmounts("tasks_amounts_safe", [table.quota]),
    primaryKey({ name: "tasks_pkey", columns: [table.id, table.userId] }),
    uniqueIndex("tasks_user_task_key").on(table.platform, table.taskId, table.userId).concurrently(),
    uniqueIndex("tasks_user_request_key").on(table.requestId, table.userId).concurrently(),
    index("tasks_user_idx").on(table.userId, table.id),
    index("tasks_task_idx").on(table.taskId),
    index("tasks_submit_idx").on(table.submitTime),
    index("tasks_status_idx").on(table.status, table.id),
    index("tasks_action_idx").on(table.action, table.id),
    index("tasks_channel_idx").on(table.channelId, table.id),
    // Few tasks run at a time.
    index("tasks_running_idx")
      .on(table.polledTime, table.id)
      .where(sql`status not in ('SUCCESS', 'FAILURE') and request_id is not null`),
  ],
);

/** Every change of what is charged for a task: its charge, its refund, its adjustment. Append-only. */
export const taskMovements = pgTable(
  "task_movements",
  {
    /** Unique name of the event: `charge:<request id>` or `end:<task's row>`. Nothing is booked twice under it. */
    reference: text().notNull(),
    task: integer().notNull(),
    userId: integer("user_id").notNull(),
    /** Positive = charged. */
    amount: quota().notNull(),
    createdAt: unixSeconds().notNull().default(nowSeconds),
  },
  (table) => [
    primaryKey({ name: "task_movements_pkey", columns: [table.reference, table.userId] }),
    checkSafeAmounts("task_movements_amounts_safe", [table.amount]),
    index("task_movements_task_idx").on(table.task),
  ],
);
