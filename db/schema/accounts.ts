import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
  varchar,
} from "drizzle-orm/pg-core";
import { checkSafeAmounts, json, nowSeconds, quota, unixSeconds } from "../columns";
import { users } from "./users";

const owner = () =>
  integer("user_id")
    .notNull()
    .references(() => users.id);

/** Browser sessions. A session cookie is valid only while its row exists and is not revoked. */
export const sessions = pgTable(
  "sessions",
  {
    id: uuid().primaryKey(),
    userId: owner(),
    createdAt: unixSeconds().notNull().default(nowSeconds),
    lastSeenAt: unixSeconds().notNull().default(nowSeconds),
    expiresAt: unixSeconds().notNull(),
    /** When the owner last proved their identity (password, code or passkey). Step-up requires a recent proof. */
    confirmedAt: unixSeconds().notNull().default(nowSeconds),
    revokedAt: unixSeconds(),
    /** password | passkey | github | linuxdo | oidc | wechat | telegram */
    method: varchar({ length: 16 }).notNull(),
    clientIp: varchar("client_ip", { length: 64 }).notNull().default(""),
    userAgent: text("user_agent").notNull().default(""),
  },
  (table) => [
    index("sessions_user_idx").on(table.userId, table.lastSeenAt),
    index("sessions_expires_idx").on(table.expiresAt),
  ],
);

/**
 * Short-lived secrets: e-mail codes, reset links, OAuth states, passkey challenges, second-factor tickets. Only the hash
 * of the secret is stored. A new secret for the same kind and subject replaces the old one.
 */
export const oneTimeSecrets = pgTable(
  "one_time_secrets",
  {
    kind: varchar({ length: 24 }).notNull(),
    subject: text().notNull(),
    secretHash: text("secret_hash").notNull(),
    payload: json().notNull().default(sql`'{}'::jsonb`),
    attempts: integer().notNull().default(0),
    expiresAt: unixSeconds().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.kind, table.subject] }),
    index("one_time_secrets_expires_idx").on(table.expiresAt),
  ],
);

/** Time-based one-time passwords (RFC 6238), one per account. */
export const totpFactors = pgTable("totp_factors", {
  userId: owner().primaryKey(),
  secretCipher: text("secret_cipher").notNull(),
  /** Null until the owner has proved that the authenticator works. */
  enabledAt: unixSeconds(),
  /** The last accepted time step; a code can be used only once. */
  lastStep: bigint("last_step", { mode: "number" }).notNull().default(0),
  recoveryHashes: text("recovery_hashes").array().notNull().default(sql`'{}'::text[]`),
});

export const passkeys = pgTable(
  "passkeys",
  {
    id: text().primaryKey(),
    userId: owner(),
    name: varchar({ length: 64 }).notNull(),
    publicKey: text("public_key").notNull(),
    counter: bigint({ mode: "number" }).notNull().default(0),
    transports: text().array().notNull().default(sql`'{}'::text[]`),
    backedUp: boolean("backed_up").notNull().default(false),
    createdAt: unixSeconds().notNull().default(nowSeconds),
    lastUsedAt: unixSeconds(),
  },
  (table) => [index("passkeys_user_idx").on(table.userId)],
);

/** Places (hashed) an account has signed in from, so that the owner can be told about a new one. */
export const knownPlaces = pgTable(
  "known_places",
  {
    userId: owner(),
    placeHash: text("place_hash").notNull(),
    firstSeenAt: unixSeconds().notNull().default(nowSeconds),
    lastSeenAt: unixSeconds().notNull().default(nowSeconds),
  },
  (table) => [primaryKey({ columns: [table.userId, table.placeHash] })],
);

/**
 * Every change of an inviter's pending earnings: reward for an invitation, share of an invitee's top-up, transfer to the
 * balance (negative). users.aff_quota is the sum, users.aff_history_quota the sum of the positive entries.
 */
export const affiliateEntries = pgTable(
  "affiliate_entries",
  {
    id: bigint({ mode: "number" }).notNull().generatedAlwaysAsIdentity(),
    userId: owner(),
    inviteeId: integer("invitee_id"),
    /** invitation | dividend | transfer | reversal */
    kind: varchar({ length: 16 }).notNull(),
    amount: quota().notNull(),
    reference: text().notNull(),
    createdAt: unixSeconds().notNull().default(nowSeconds),
  },
  (table) => [
    checkSafeAmounts("affiliate_entries_amounts_safe", [table.amount]),
    primaryKey({ name: "affiliate_entries_pkey", columns: [table.id, table.userId] }),
    uniqueIndex("affiliate_entries_reference_key").on(table.reference),
    index("affiliate_entries_user_idx").on(table.userId, table.id),
  ],
);

/**
 * How far the primary's log was written when a user last changed something, in bytes. Their pages read a replica only when
 * it has all of that (lib/replica). Only written where there is a replica.
 */
export const lastWrites = pgTable("last_writes", {
  userId: integer("user_id").primaryKey(),
  position: bigint({ mode: "number" }).notNull(),
});
