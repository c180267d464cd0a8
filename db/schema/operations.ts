import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
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
import { bytea, json, nowSeconds, quota, unixSeconds } from "../columns";
import { channels } from "./channels";
import { users } from "./users";

/** Keys of a multi-key channel. While there are any, channels.key_cipher is not used. */
export const channelKeys = pgTable(
  "channel_keys",
  {
    id: integer().primaryKey().generatedByDefaultAsIdentity(),
    channelId: integer("channel_id")
      .notNull()
      .references(() => channels.id, { onDelete: "cascade" }),
    keyCipher: text("key_cipher").notNull(),
    fingerprint: varchar({ length: 16 }).notNull(),
    /** 1 enabled, 2 disabled manually, 3 disabled automatically. */
    status: integer().notNull().default(1),
    reason: text().notNull().default(""),
    statusTime: unixSeconds().notNull().default(0),
    createdTime: unixSeconds().notNull().default(nowSeconds),
  },
  (table) => [uniqueIndex("channel_keys_fingerprint_key").on(table.channelId, table.fingerprint)],
);

/**
 * Channel results by hour, model and outcome; a job sums them from the usage log. Outcome is "ok" or the class of the
 * failure. The bucket bounds are in lib/health; percentiles are computed from sums of the bucket counts.
 */
export const channelHourly = pgTable(
  "channel_hourly",
  {
    hour: unixSeconds().notNull(),
    channelId: integer("channel_id").notNull(),
    modelName: text("model_name").notNull(),
    outcome: varchar({ length: 32 }).notNull(),
    count: quota().notNull().default(0),
    quota: quota().notNull().default(0),
    useTimeMs: quota().notNull().default(0),
    latencyBuckets: bigint("latency_buckets", { mode: "number" }).array().notNull().default(sql`'{}'::bigint[]`),
    firstTokenBuckets: bigint("first_token_buckets", { mode: "number" }).array().notNull().default(sql`'{}'::bigint[]`),
    /** Unreadable events that were left out of answers. */
    badEvents: bigint("bad_events", { mode: "number" }).notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.channelId, table.hour, table.modelName, table.outcome] }),
    index("channel_hourly_hour_idx").on(table.hour),
  ],
);

/**
 * What clients' requests to a model came to, by hour; a job sums them from the usage log. A request that another channel
 * answered succeeded. Only models that some channel has. The bucket bounds are in lib/health.
 */
export const modelHourly = pgTable(
  "model_hourly",
  {
    hour: unixSeconds().notNull(),
    modelName: text("model_name").notNull(),
    succeeded: quota().notNull(),
    failed: quota().notNull(),
    /** Of requests that succeeded. */
    latencyBuckets: bigint("latency_buckets", { mode: "number" }).array().notNull(),
    firstTokenBuckets: bigint("first_token_buckets", { mode: "number" }).array().notNull(),
  },
  (table) => [primaryKey({ columns: [table.modelName, table.hour] }), index("model_hourly_hour_idx").on(table.hour)],
);

/** Requests with unknown API keys, by hour and address. "" = of addresses beyond those that are told apart. */
export const unknownKeyHours = pgTable(
  "unknown_key_hours",
  {
    hour: unixSeconds().notNull(),
    /** An IPv4 address, or the /64 network of an IPv6 address. */
    address: varchar({ length: 64 }).notNull(),
    count: bigint({ mode: "number" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.hour, table.address] })],
);

/** How far each job has read the table it processes. */
export const jobPositions = pgTable("job_positions", {
  job: varchar({ length: 64 }).primaryKey(),
  position: bigint({ mode: "number" }).notNull().default(0),
  updatedAt: unixSeconds().notNull().default(nowSeconds),
});

/** What administrators tell on the public status page, in both languages; "" = as in the other one. */
export const statusIncidents = pgTable(
  "status_incidents",
  {
    id: integer().primaryKey().generatedByDefaultAsIdentity(),
    titleEn: text("title_en").notNull().default(""),
    titleZh: text("title_zh").notNull().default(""),
    textEn: text("text_en").notNull().default(""),
    textZh: text("text_zh").notNull().default(""),
    /** investigating | identified | monitoring | resolved */
    state: varchar({ length: 16 }).notNull(),
    startedAt: unixSeconds().notNull(),
    /** Null = it goes on. */
    resolvedAt: unixSeconds(),
    createdAt: unixSeconds().notNull().default(nowSeconds),
    updatedAt: unixSeconds().notNull().default(nowSeconds),
  },
  (table) => [index("status_incidents_started_idx").on(table.startedAt, table.id)],
);

/**
 * Filters that a user has saved under a name; `query` is the query string of the list's URL, `columns` the columns
 * switched on or off. At most one view of a list is the default.
 */
export const savedViews = pgTable(
  "saved_views",
  {
    id: integer().primaryKey().generatedByDefaultAsIdentity(),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id),
    page: varchar({ length: 32 }).notNull(),
    name: varchar({ length: 64 }).notNull(),
    query: text().notNull(),
    columns: json().$type<Record<string, boolean>>(),
    isDefault: boolean("is_default").notNull().default(false),
    createdAt: unixSeconds().notNull().default(nowSeconds),
  },
  (table) => [
    uniqueIndex("saved_views_name_key").on(table.userId, table.page, table.name),
    uniqueIndex("saved_views_default_key").on(table.userId, table.page).where(sql`${table.isDefault}`),
  ],
);

/** Bulk edits with the values they replaced, so that they can be undone. */
export const bulkChanges = pgTable(
  "bulk_changes",
  {
    id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    actorId: integer("actor_id").notNull(),
    subject: varchar({ length: 32 }).notNull(),
    change: json().notNull(),
    before: json().notNull(),
    createdAt: unixSeconds().notNull().default(nowSeconds),
    undoneAt: unixSeconds(),
  },
  (table) => [index("bulk_changes_actor_idx").on(table.actorId, table.id)],
);

/** Payment callbacks as received, with their outcome. Secrets and signatures are not stored. */
export const paymentCallbacks = pgTable(
  "payment_callbacks",
  {
    id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    provider: varchar({ length: 16 }).notNull(),
    /** The provider's event id, if it has one. The same event is processed only once. */
    eventId: text("event_id"),
    tradeNo: varchar("trade_no", { length: 64 }).notNull().default(""),
    payload: json().notNull().default(sql`'{}'::jsonb`),
    /** credited | ignored | refused | failed */
    outcome: varchar({ length: 16 }).notNull(),
    reason: text().notNull().default(""),
    attempts: integer().notNull().default(1),
    clientIp: varchar("client_ip", { length: 64 }).notNull().default(""),
    createdAt: unixSeconds().notNull().default(nowSeconds),
    handledAt: unixSeconds(),
  },
  (table) => [
    uniqueIndex("payment_callbacks_event_key").on(table.provider, table.eventId),
    index("payment_callbacks_trade_idx").on(table.tradeNo),
    index("payment_callbacks_outcome_idx").on(table.outcome, table.id),
  ],
);

/**
 * Requests that came with an Idempotency-Key, for a day. The primary key admits each once over all processes; the answer
 * is kept so that a repeat gets it again. `state`: running, answered, or unstored (charged, but the answer is not here).
 */
export const idempotencyKeys = pgTable(
  "idempotency_keys",
  {
    userId: integer("user_id").notNull(),
    /** 0 = the playground. */
    tokenId: integer("token_id").notNull(),
    keyHash: varchar("key_hash", { length: 64 }).notNull(),
    bodyHash: varchar("body_hash", { length: 64 }).notNull(),
    requestId: varchar("request_id", { length: 64 }).notNull(),
    nodeId: uuid("node_id").notNull(),
    state: varchar({ length: 16 }).notNull().default("running"),
    contentType: varchar("content_type", { length: 255 }).notNull().default(""),
    body: bytea().notNull().default(sql`''::bytea`),
    bytes: integer().notNull().default(0),
    createdAt: unixSeconds().notNull().default(nowSeconds),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.tokenId, table.keyHash] }),
    index("idempotency_keys_created_idx").on(table.createdAt),
  ],
);

const moment = (name: string) => timestamp(name, { withTimezone: true });

/**
 * Circuits of channels and upstream models that failed lately, shared by all processes; lib/relay/routing/circuits. Open while
 * closed_at is null; tried again after open_until, by the one process that holds the claim.
 */
export const channelCircuits = pgTable(
  "channel_circuits",
  {
    channelId: integer("channel_id")
      .notNull()
      .references(() => channels.id, { onDelete: "cascade" }),
    /** The upstream's name of the model. */
    model: text().notNull(),
    /** key | limit | overload | timeout | network | cut */
    cause: varchar({ length: 16 }).notNull(),
    /** How many times in a row it was opened or a probe failed; the rest grows with it. */
    level: integer().notNull().default(1),
    openedAt: moment("opened_at").notNull().defaultNow(),
    openUntil: moment("open_until").notNull(),
    closedAt: moment("closed_at"),
    probeId: uuid("probe_id"),
    probeUntil: moment("probe_until"),
    updatedAt: moment("updated_at").notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.channelId, table.model] }),
    index("channel_circuits_updated_idx").on(table.updatedAt),
  ],
);
