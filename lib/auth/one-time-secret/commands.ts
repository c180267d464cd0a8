import { createHmac, hkdfSync } from "node:crypto";
import { and, eq, gt, lt, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { oneTimeSecrets } from "@/db/schema";
import { secretText } from "@/lib/env";

let derived: { secret: string; key: Buffer } | undefined;

function hashingKey(): Buffer {
  const secret = secretText();
  if (derived?.secret !== secret) {
    derived = { secret, key: Buffer.from(hkdfSync("sha256", secret, "weir", "one-time secret v1", 32)) };
  }
  return derived.key;
}

/**
 * The stored form of a one-time secret: an HMAC under WEIR_SECRET, because a plain hash of a six-character code could
 * be brute-forced. It covers kind and subject, so that a row copied to another subject is useless.
 */
function hashSecret(kind: string, subject: string, secret: string): string {
  return createHmac("sha256", hashingKey())
    .update(JSON.stringify([kind, subject, secret]))
    .digest("hex");
}

/** `kind` has at most 24 characters; `subject` says whom or what the secret is for. */
export type SecretName = { kind: string; subject: string };
export type SecretPayload = Record<string, unknown>;

/** Lifetime of codes and links sent by e-mail (contract §9.3). */
export const MAILED_SECRET_SECONDS = 600;

const now = sql`floor(extract(epoch from clock_timestamp()))::bigint`;

const named = ({ kind, subject }: SecretName) =>
  and(eq(oneTimeSecrets.kind, kind), eq(oneTimeSecrets.subject, subject));

/** Stores a new secret, which replaces one of the same name. It is valid for `lifetimeSeconds` (1 or more). */
export async function issueSecret(
  db: Database,
  given: SecretName & { secret: string; lifetimeSeconds: number; payload?: SecretPayload },
): Promise<void> {
  const { kind, subject, secret, lifetimeSeconds, payload = {} } = given;
  const values = {
    secretHash: hashSecret(kind, subject, secret),
    payload,
    attempts: 0,
    expiresAt: sql`${now} + ${lifetimeSeconds}::bigint`,
  };
  await db
    .insert(oneTimeSecrets)
    .values({ kind, subject, ...values })
    .onConflictDoUpdate({ target: [oneTimeSecrets.kind, oneTimeSecrets.subject], set: values });
}

/**
 * Checks a secret without using it up. A wrong one counts against `attemptsMax`; at the limit the right one is refused
 * as well. Do not call it in the transaction it protects: a rollback would undo the count.
 */
export async function verifySecret(
  db: Database,
  given: SecretName & { secret: string; attemptsMax: number },
): Promise<boolean> {
  const { kind, subject, secret, attemptsMax } = given;
  // The attempt is counted before the check, so that parallel guesses cannot pass the limit; a right one is given back.
  const [row] = await db
    .update(oneTimeSecrets)
    .set({ attempts: sql`${oneTimeSecrets.attempts} + 1` })
    .where(and(named(given), gt(oneTimeSecrets.expiresAt, now), lt(oneTimeSecrets.attempts, attemptsMax)))
    .returning({ secretHash: oneTimeSecrets.secretHash });
  // Both sides are keyed hashes, so the comparison time reveals nothing about the secret.
  if (!row || row.secretHash !== hashSecret(kind, subject, secret)) return false;
  await db
    .update(oneTimeSecrets)
    .set({ attempts: sql`greatest(${oneTimeSecrets.attempts} - 1, 0)` })
    .where(and(named(given), eq(oneTimeSecrets.secretHash, row.secretHash)));
  return true;
}

/**
 * Uses up the secret and returns its payload; null when it is wrong, expired or used. Only one of several parallel
 * calls succeeds. If the surrounding transaction rolls back, the secret stays valid. Attempts are not counted: for
 * short codes call verifySecret first.
 */
export async function consumeSecret(
  db: Database,
  given: SecretName & { secret: string },
): Promise<SecretPayload | null> {
  const [row] = await db
    .delete(oneTimeSecrets)
    .where(
      and(
        named(given),
        eq(oneTimeSecrets.secretHash, hashSecret(given.kind, given.subject, given.secret)),
        gt(oneTimeSecrets.expiresAt, now),
      ),
    )
    .returning({ payload: oneTimeSecrets.payload });
  return row ? (row.payload as SecretPayload) : null;
}

/**
 * Records that something signed elsewhere was used. False when it was used before: of parallel uses only one succeeds.
 * `lifetimeSeconds` must outlast the signature.
 */
export async function spendOnce(
  db: Database,
  { kind, subject, lifetimeSeconds }: SecretName & { lifetimeSeconds: number },
): Promise<boolean> {
  const rows = await db
    .insert(oneTimeSecrets)
    .values({ kind, subject, secretHash: "", expiresAt: sql`${now} + ${lifetimeSeconds}::bigint` })
    .onConflictDoNothing()
    .returning({ subject: oneTimeSecrets.subject });
  return rows.length > 0;
}

/** Removes a secret, e.g. when the message with it could not be sent. */
export async function revokeSecret(db: Database, name: SecretName): Promise<void> {
  await db.delete(oneTimeSecrets).where(named(name));
}
