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
import { json, nowSeconds, quota, unixSeconds } from "../columns";
import { users } from "./users";

const owner = () =>
  integer("user_id")
    .notNull()
    .references(() => users.id);

/** Signed-in browsers. A session cookie is valid only while its row is there and not revoked. */
export const sessions = pgTable(
  "sessions",
  {
    id: uuid().primaryKey(),
    userId: owner(),
    createdAt: unixSeconds().notNull().default(nowSeconds),
    lastSeenAt: unixSeconds().notNull().default(nowSeconds),
    expiresAt: unixSeconds().notNull(),
    /** When the owner last proved who they are (password, code or passkey); step-up asks for a recent one. */
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
 * Short-lived secrets: codes sent by e-mail, reset links, OAuth states, passkey challenges, second-factor tickets. Only
 * the hash of the secret is kept; a new one for the same kind and subject replaces the old one.
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
  /** Unset while the owner has not yet proved that the authenticator works. */
  enabledAt: unixSeconds(),
  /** The last time step that was accepted: a code is good once. */
  lastStep: bigint("last_step", { mode: "number" }).notNull().default(0),
  recoveryHashes: text("recovery_hashes").array().notNull().default(sql`'{}'::text[]`),
});

/** WebAuthn credentials. */
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

/** Places an account has signed in from, as hashes, so that a new one can be told to its owner. */
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
 * balance (negative). users.aff_quota is their sum, users.aff_history_quota the sum of the positive ones.
 */
export const affiliateEntries = pgTable(
  "affiliate_entries",
  {
    id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    userId: owner(),
    inviteeId: integer("invitee_id"),
    /** invitation | dividend | transfer */
    kind: varchar({ length: 16 }).notNull(),
    amount: quota().notNull(),
    reference: text().notNull(),
    createdAt: unixSeconds().notNull().default(nowSeconds),
  },
  (table) => [
    uniqueIndex("affiliate_entries_reference_key").on(table.reference),
    index("affiliate_entries_user_idx").on(table.userId, table.id),
  ],
);
