import { and, eq, gt, lt, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { oneTimeSecrets } from "@/db/schema";
import { hashSecret } from "./hash";

/** Which secret: at most 24 characters of kind, and whom or what it is for. */
export type SecretName = { kind: string; subject: string };
export type SecretPayload = Record<string, unknown>;

/** Codes and links sent by e-mail live this long (contract §9.3). */
export const MAILED_SECRET_SECONDS = 600;

const now = sql`floor(extract(epoch from clock_timestamp()))::bigint`;

const named = ({ kind, subject }: SecretName) =>
  and(eq(oneTimeSecrets.kind, kind), eq(oneTimeSecrets.subject, subject));

/** Puts a new secret in place of an older one of the same name, good for `lifetimeSeconds` (1 or more). */
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
 * Whether the secret is right, without using it up. A wrong one counts against `attemptsMax`; at the limit the right
 * one is refused as well. Not in the transaction of what it guards: a failure there must not forgive the guess.
 */
export async function verifySecret(
  db: Database,
  given: SecretName & { secret: string; attemptsMax: number },
): Promise<boolean> {
  const { kind, subject, secret, attemptsMax } = given;
  // Counted first, so that guesses side by side cannot slip past the limit; what was right is given back.
  const [row] = await db
    .update(oneTimeSecrets)
    .set({ attempts: sql`${oneTimeSecrets.attempts} + 1` })
    .where(and(named(given), gt(oneTimeSecrets.expiresAt, now), lt(oneTimeSecrets.attempts, attemptsMax)))
    .returning({ secretHash: oneTimeSecrets.secretHash });
  // Both sides are keyed hashes: where they first differ tells nothing about the secret.
  if (!row || row.secretHash !== hashSecret(kind, subject, secret)) return false;
  await db
    .update(oneTimeSecrets)
    .set({ attempts: sql`greatest(${oneTimeSecrets.attempts} - 1, 0)` })
    .where(and(named(given), eq(oneTimeSecrets.secretHash, row.secretHash)));
  return true;
}

/**
 * Uses the secret up and returns its payload; null when it is wrong, expired or used. Of several at once exactly one
 * succeeds. Inside a transaction that fails it stays usable. Guesses are not counted: for short codes ask verifySecret
 * first.
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

/** Withdraws a secret, e.g. when the message that carried it could not be sent. */
export async function revokeSecret(db: Database, name: SecretName): Promise<void> {
  await db.delete(oneTimeSecrets).where(named(name));
}
