import { bigint, boolean, index, integer, pgTable, text, varchar } from "drizzle-orm/pg-core";
import { json, nowSeconds, unixSeconds } from "../columns";

/** Settings that differ from their default. Secret values are sealed. */
export const options = pgTable("options", {
  key: text().primaryKey(),
  value: text().notNull(),
  sealed: boolean().notNull().default(false),
  updatedAt: unixSeconds().notNull().default(nowSeconds),
});

/** Who changed what, from what to what, from where. */
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
    createdAt: unixSeconds().notNull().default(nowSeconds),
  },
  (table) => [index("audit_entries_subject_idx").on(table.subject, table.id.desc())],
);

/** Counters of failed sign-ins per account and per address, shared by all processes. */
export const rateCounters = pgTable("rate_counters", {
  key: text().primaryKey(),
  count: integer().notNull().default(0),
  windowStart: unixSeconds().notNull(),
});
