import { bigint, boolean, doublePrecision, index, integer, pgTable, text, uuid, varchar } from "drizzle-orm/pg-core";
import { json, nowSeconds, unixSeconds } from "../columns";

/** Options that differ from their default. Secret values are encrypted. */
export const options = pgTable("options", {
  key: text().primaryKey(),
  value: text().notNull(),
  sealed: boolean().notNull().default(false),
  updatedAt: unixSeconds().notNull().default(nowSeconds),
});

/** Every saved value of an option, for comparing and restoring. Secret values are encrypted. */
export const optionVersions = pgTable(
  "option_versions",
  {
    id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    key: text().notNull(),
    /** Null when the option was, or went back to, its default. */
    before: text(),
    after: text(),
    sealed: boolean().notNull().default(false),
    actorId: integer("actor_id"),
    clientIp: varchar("client_ip", { length: 64 }).notNull().default(""),
    createdAt: unixSeconds().notNull().default(nowSeconds),
  },
  (table) => [index("option_versions_key_idx").on(table.key, table.id)],
);

/** The audit log: who changed what, the values before and after, and the IP. */
export const auditEntries = pgTable(
  "audit_entries",
  {
    id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    actorId: integer("actor_id"),
    actorKind: varchar("actor_kind", { length: 16 }).notNull(),
    action: varchar({ length: 64 }).notNull(),
    subject: text().notNull(),
    before: json(),
    after: json(),
    clientIp: varchar("client_ip", { length: 64 }).notNull().default(""),
    /** session | access-token; "" = not by a user, or of a version that did not record it. */
    via: varchar({ length: 16 }).notNull().default(""),
    /** The session that it was done in; the session's own row may be gone. */
    sessionId: uuid("session_id"),
    createdAt: unixSeconds().notNull().default(nowSeconds),
  },
  (table) => [
    // text_pattern_ops: prefix searches cannot use the default operator class in every locale.
    index("audit_entries_subject_idx").on(table.subject.op("text_pattern_ops"), table.id),
    index("audit_entries_actor_idx").on(table.actorId, table.id),
    index("audit_entries_action_idx").on(table.action, table.id),
    index("audit_entries_created_idx").on(table.createdAt),
  ],
);

/** Counters for rate limits, shared by all processes. */
export const rateCounters = pgTable("rate_counters", {
  key: text().primaryKey(),
  count: integer().notNull().default(0),
  windowStart: unixSeconds().notNull(),
  /** Of a limit in a time: moments (unix seconds) from which admissions are counted, and how many each. */
  ends: doublePrecision().array(),
  amounts: integer().array(),
});
