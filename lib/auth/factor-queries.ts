import { and, desc, eq, exists, isNotNull, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { passkeys, totpFactors, users } from "@/db/schema";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";

/** How a user can prove their identity. */
export type FactorKind = "password" | "totp" | "passkey";

/** A passkey as its owner sees it; times in unix seconds. */
export type OwnPasskey = { id: string; name: string; createdAt: number; lastUsedAt: number | null; backedUp: boolean };

/** The second factors of the current user. `recoveryLeft` is the number of unused recovery codes. */
export type OwnFactors = {
  hasPassword: boolean;
  totp: { enabledAt: number; recoveryLeft: number } | null;
  passkeys: OwnPasskey[];
};

export async function getOwnFactors(ctx: ServiceContext): Promise<OwnFactors> {
  const actor = requireRole(ctx, ROLE.user);
  const [[account], [totp], keys] = await Promise.all([
    ctx.db
      .select({ hasPassword: isNotNull(users.passwordHash) })
      .from(users)
      .where(eq(users.id, actor.id)),
    ctx.db
      .select({
        enabledAt: totpFactors.enabledAt,
        recoveryLeft: sql<number>`cardinality(${totpFactors.recoveryHashes})::int`,
      })
      .from(totpFactors)
      .where(and(eq(totpFactors.userId, actor.id), isNotNull(totpFactors.enabledAt))),
    ctx.db
      .select({
        id: passkeys.id,
        name: passkeys.name,
        createdAt: passkeys.createdAt,
        lastUsedAt: passkeys.lastUsedAt,
        backedUp: passkeys.backedUp,
      })
      .from(passkeys)
      .where(eq(passkeys.userId, actor.id))
      .orderBy(desc(passkeys.createdAt), passkeys.id),
  ]);
  const enabledAt = totp?.enabledAt ?? null;
  return {
    hasPassword: account?.hasPassword === true,
    totp: totp && enabledAt !== null ? { enabledAt, recoveryLeft: totp.recoveryLeft } : null,
    passkeys: keys,
  };
}

/** The kinds of proof that the account has set up. */
export async function listFactorKinds(db: Database, userId: number): Promise<FactorKind[]> {
  const totp = db
    .select({ userId: totpFactors.userId })
    .from(totpFactors)
    .where(and(eq(totpFactors.userId, userId), isNotNull(totpFactors.enabledAt)));
  const keys = db.select({ id: passkeys.id }).from(passkeys).where(eq(passkeys.userId, userId));
  const [row] = await db
    .select({
      password: sql<boolean>`${isNotNull(users.passwordHash)}`,
      totp: sql<boolean>`${exists(totp)}`,
      passkey: sql<boolean>`${exists(keys)}`,
    })
    .from(users)
    .where(eq(users.id, userId));
  const kinds: FactorKind[] = ["password", "totp", "passkey"];
  return kinds.filter((kind) => row?.[kind] === true);
}

/** What is needed to verify a passkey. */
export type StoredPasskey = { id: string; userId: number; publicKey: string; counter: number; transports: string[] };

const storedFields = {
  id: passkeys.id,
  userId: passkeys.userId,
  publicKey: passkeys.publicKey,
  counter: passkeys.counter,
  transports: passkeys.transports,
};

export async function listPasskeysOf(db: Database, userId: number): Promise<StoredPasskey[]> {
  return db.select(storedFields).from(passkeys).where(eq(passkeys.userId, userId));
}

export async function findPasskey(db: Database, id: string): Promise<StoredPasskey | null> {
  const [row] = await db.select(storedFields).from(passkeys).where(eq(passkeys.id, id));
  return row ?? null;
}
