import { sql } from "drizzle-orm";
import { boolean, doublePrecision, index, integer, pgTable, text, varchar } from "drizzle-orm/pg-core";
import { checkSafeAmounts, json, nowSeconds, quota, unixSeconds } from "../columns";

/** Upstream accounts, added by administrators. The key is encrypted at rest and never leaves the server. */
export const channels = pgTable(
  "channels",
  {
    id: integer().primaryKey().generatedByDefaultAsIdentity(),
    type: integer().notNull().default(1),
    keyCipher: text("key_cipher").notNull(),
    keyFingerprint: varchar("key_fingerprint", { length: 16 }).notNull().default(""),
    openaiOrganization: text("openai_organization").notNull().default(""),
    testModel: text("test_model").notNull().default(""),
    status: integer().notNull().default(1),
    name: text().notNull(),
    weight: integer().notNull().default(0),
    priority: integer().notNull().default(0),
    createdTime: unixSeconds().notNull().default(nowSeconds),
    testTime: unixSeconds().notNull().default(0),
    /** Why the last test failed; "" = it passed, null = not known. */
    testError: text("test_error"),
    responseTime: integer("response_time_ms").notNull().default(0),
    baseUrl: text("base_url").notNull().default(""),
    other: text().notNull().default(""),
    balance: doublePrecision().notNull().default(0),
    balanceUpdatedTime: unixSeconds().notNull().default(0),
    models: text().notNull().default(""),
    group: text().notNull().default("default"),
    usedQuota: quota().notNull().default(0),
    modelMapping: text("model_mapping").notNull().default(""),
    statusCodeMapping: text("status_code_mapping").notNull().default(""),
    autoBan: integer("auto_ban").notNull().default(1),
    otherInfo: json().notNull().default(sql`'{}'::jsonb`),
    tag: text(),
    setting: text().notNull().default(""),
    paramOverride: text("param_override").notNull().default(""),
    /** What the upstream account takes within a minute and at once, over all processes; 0 = no limit. */
    requestsPerMinute: integer("requests_per_minute").notNull().default(0),
    tokensPerMinute: integer("tokens_per_minute").notNull().default(0),
    concurrencyLimit: integer("concurrency_limit").notNull().default(0),
    /** Address or proxy may be on a private network, because root chose them. */
    privateAllowed: boolean("private_allowed").notNull().default(true),
  },
  (table) => [
    checkSafeAmounts("channels_amounts_safe", [table.usedQuota]),
    index("channels_priority_idx").on(table.priority, table.id),
    index("channels_tag_idx").on(table.tag),
    index("channels_status_idx").on(table.status, table.id),
    index("channels_type_idx").on(table.type, table.id),
    index("channels_name_idx").on(table.name, table.id),
    index("channels_created_idx").on(table.createdTime, table.id),
    index("channels_weight_idx").on(table.weight, table.id),
    index("channels_balance_idx").on(table.balance, table.id),
    index("channels_response_idx").on(table.responseTime, table.id),
    index("channels_tested_idx").on(table.testTime, table.id),
    index("channels_fingerprint_idx").on(table.keyFingerprint),
  ],
);
