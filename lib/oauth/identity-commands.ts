import { and, count, desc, eq, inArray, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { passkeys, users } from "@/db/schema";
import { writeAudit } from "@/lib/audit/commands";
import { type AccountRow, findAccount } from "@/lib/auth/queries";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { loadOptions } from "@/lib/option/queries";
import type { OptionValues } from "@/lib/option/registry";
import { requireRecentProof } from "@/lib/proof";
import { USER_STATUS } from "@/lib/row-status";
import { createAccount } from "@/lib/user/create-account-commands";
import { assertProviderOn, isProviderOn } from "./flags";
import { refuseBoundElsewhere, refuseNotBound, refuseSecondBinding } from "./refusals";
import { serverOf } from "./servers";
import { OUTSIDE_PROVIDERS, type OutsideIdentity, type OutsideProvider } from "./types";

const COLUMN = {
  github: "githubId",
  linuxdo: "linuxDoId",
  oidc: "oidcId",
  wechat: "wechatId",
  telegram: "telegramId",
} as const satisfies Record<OutsideProvider, keyof typeof users.$inferSelect>;
/** Where the id is valid. Telegram has one place only. */
const PLACE = {
  github: "githubServer",
  linuxdo: "linuxDoServer",
  oidc: "oidcIssuer",
  wechat: "wechatServer",
  telegram: null,
} as const satisfies Record<OutsideProvider, keyof typeof users.$inferSelect | null>;

/** Attempts to find a free user name when another user takes the chosen one. */
const NAME_TRIES = 20;

const boundFields = {
  id: users.id,
  status: users.status,
  deletedAt: users.deletedAt,
  passwordHash: users.passwordHash,
  githubId: users.githubId,
  githubServer: users.githubServer,
  linuxDoId: users.linuxDoId,
  linuxDoServer: users.linuxDoServer,
  oidcId: users.oidcId,
  oidcIssuer: users.oidcIssuer,
  wechatId: users.wechatId,
  wechatServer: users.wechatServer,
  telegramId: users.telegramId,
};

/**
 * The account of an external identity. It is created for a new user where registration is open (contract §9.4). Two
 * parallel sign-ins of a new user lead to one account. Throws forbidden when the provider is off, the account deleted
 * or banned, or registration closed; not_found for Telegram without a binding.
 */
export async function signInByIdentity(
  ctx: ServiceContext,
  identity: OutsideIdentity,
  aff: string,
): Promise<AccountRow> {
  const { provider, id } = identity;
  return ctx.db.transaction(async (tx) => {
    const options = await loadOptions(tx);
    assertProviderOn(options, provider);
    await lockIdentity(tx, provider, id);
    const known = await findByIdentity(tx, identity);
    if (known?.deletedAt) throw new AppError("forbidden", "oauthAccountDeleted");
    if (known && known.status !== USER_STATUS.enabled) throw new AppError("forbidden", "userBanned");
    if (known) await keepIssuer(tx, known, identity);
    const userId = known?.id ?? (await createFor(tx, ctx, { identity, aff, options }));
    const account = await findAccount(tx, userId);
    if (!account) throw new AppError("not_found", "userNotFound");
    return account;
  });
}

/**
 * Binds an external identity to the current user; needs a recent proof. Binding the same identity again changes
 * nothing. Throws conflict when it belongs to another account, even a deleted one, or the user has another one bound.
 */
export async function bindIdentity(ctx: ServiceContext, identity: OutsideIdentity): Promise<void> {
  const actor = requireRole(ctx, ROLE.user);
  requireRecentProof(ctx);
  const { provider, id } = identity;
  await ctx.db.transaction(async (tx) => {
    assertProviderOn(await loadOptions(tx), provider);
    await lockIdentity(tx, provider, id);
    const owner = await findByIdentity(tx, identity);
    if (owner && owner.id !== actor.id) throw refuseBoundElsewhere(provider);
    if (owner) return keepIssuer(tx, owner, identity);
    const own = await lockAccount(tx, actor.id);
    if (own[COLUMN[provider]] !== null && isOfPlace(own, identity)) throw refuseSecondBinding(provider);
    await tx.update(users).set(columnsOf(identity)).where(eq(users.id, actor.id));
    await writeAudit(tx, ctx, { action: "user.bind", subject: `user:${actor.id}`, after: { provider, id } });
  });
}

/**
 * Removes a binding of the current user; needs a recent proof. Throws not_found when none is bound, conflict when no
 * other way to sign in would remain.
 */
export async function unbindProvider(ctx: ServiceContext, input: { provider: OutsideProvider }): Promise<void> {
  const actor = requireRole(ctx, ROLE.user);
  requireRecentProof(ctx);
  const { provider } = input;
  await ctx.db.transaction(async (tx) => {
    const own = await lockAccount(tx, actor.id);
    const id = own[COLUMN[provider]];
    if (id === null) throw refuseNotBound(provider);
    if (!(await hasOtherWayIn(tx, own, provider))) throw new AppError("conflict", "oauthLastWayIn");
    await tx
      .update(users)
      .set(columnsOf({ provider, id: null }))
      .where(eq(users.id, actor.id));
    await writeAudit(tx, ctx, { action: "user.unbind", subject: `user:${actor.id}`, before: { provider, id } });
  });
}

type BoundRow = NonNullable<Awaited<ReturnType<typeof findByIdentity>>>;

/** Locks the identity, so that no other transaction writes it between the read and the write. */
async function lockIdentity(tx: Database, provider: OutsideProvider, id: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`outside:${provider}:${id}`}, 0))`);
}

/** `id` null: no binding. */
function columnsOf<Id extends string | null>({
  provider,
  id,
  issuer = "",
}: Pick<OutsideIdentity, "provider" | "issuer"> & { id: Id }) {
  const place = PLACE[provider];
  return { [COLUMN[provider]]: id, ...(place === null ? {} : { [place]: issuer }) };
}

/** False when the user's binding is of a server that is no longer asked, so that nobody can sign in by it. */
function isOfPlace(own: BoundRow, { provider, issuer = "", formerIssuer = issuer }: OutsideIdentity): boolean {
  const place = PLACE[provider];
  return place === null || own[place] === issuer || own[place] === formerIssuer;
}

/**
 * Includes deleted accounts, which keep their external accounts. An id matches with the issuer it was stored under, or
 * that of before.
 */
async function findByIdentity(tx: Database, { provider, id, issuer = "", formerIssuer = issuer }: OutsideIdentity) {
  const place = PLACE[provider] && users[PLACE[provider]];
  const [row] = await tx
    .select(boundFields)
    .from(users)
    .where(and(eq(users[COLUMN[provider]], id), place ? inArray(place, [issuer, formerIssuer]) : undefined))
    .orderBy(...(place ? [desc(sql`${place} = ${issuer}`)] : []))
    .limit(1);
  return row ?? null;
}

/** A binding from before issuers were stored gets the issuer of its owner's next sign-in. */
async function keepIssuer(tx: Database, owner: BoundRow, { provider, issuer = "" }: OutsideIdentity): Promise<void> {
  const place = PLACE[provider];
  if (place === null || owner[place] === issuer) return;
  await tx
    .update(users)
    .set({ [place]: issuer })
    .where(eq(users.id, owner.id));
}

async function lockAccount(tx: Database, userId: number): Promise<BoundRow> {
  const [row] = await tx.select(boundFields).from(users).where(eq(users.id, userId)).for("update");
  if (!row || row.deletedAt) throw new AppError("not_found", "userNotFound");
  return row;
}

type Newcomer = { identity: OutsideIdentity; aff: string; options: OptionValues };

async function createFor(tx: Database, ctx: ServiceContext, newcomer: Newcomer): Promise<number> {
  const { identity, aff, options } = newcomer;
  if (identity.provider === "telegram") throw new AppError("not_found", "telegramNotBound");
  if (!options.RegisterEnabled) throw new AppError("forbidden", "oauthRegistrationClosed");
  for (let tries = 0; tries < NAME_TRIES; tries++) {
    try {
      const created = await createAccount(tx, ctx, {
        username: await proposeName(tx, identity, tries),
        displayName: identity.displayName,
        passwordHash: null,
        outside: columnsOf(identity),
        inviteCode: aff,
        method: identity.provider,
      });
      return created.id;
    } catch (error) {
      if (!(error instanceof AppError && error.messageKey === "usernameTaken")) throw error;
    }
  }
  throw new AppError("conflict", "usernameTaken");
}

/** The name at the provider where it is adopted; else `{provider}_{highest id + 1}` or a later number. */
async function proposeName(tx: Database, identity: OutsideIdentity, tries: number): Promise<string> {
  if (tries === 0 && identity.preferredUsername !== null) return identity.preferredUsername;
  const [row] = await tx.select({ next: sql<number>`coalesce(max(${users.id}), 0) + 1` }).from(users);
  return `${identity.provider}_${(row?.next ?? 1) + tries}`;
}

/** False = the binding is of a server that the operator has replaced. */
function isStillServed(own: BoundRow, options: OptionValues, provider: OutsideProvider): boolean {
  const place = PLACE[provider];
  // What the issuer of OpenID Connect is, only its discovery document tells.
  if (place === null || provider === "telegram" || provider === "oidc") return true;
  return own[place] === serverOf(options, provider);
}

/** Whether the user could still sign in without this provider, by a method that is enabled. */
async function hasOtherWayIn(tx: Database, own: BoundRow, provider: OutsideProvider): Promise<boolean> {
  const options = await loadOptions(tx);
  if (own.passwordHash !== null && options.PasswordLoginEnabled) return true;
  const others = OUTSIDE_PROVIDERS.filter((other) => other !== provider && own[COLUMN[other]] !== null);
  if (others.some((other) => isProviderOn(options, other) && isStillServed(own, options, other))) return true;
  const [row] = await tx.select({ keys: count() }).from(passkeys).where(eq(passkeys.userId, own.id));
  return (row?.keys ?? 0) > 0;
}
