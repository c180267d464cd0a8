import { and, eq, inArray, sql } from "drizzle-orm";
import type { z } from "zod";
import type { Database } from "@/db/client";
import { tokens } from "@/db/schema";
import { writeAudit, writeAudits } from "@/lib/audit/commands";
import { isFirstChange } from "@/lib/billing/amount-change-commands";
import { announceTokenLimit } from "@/lib/billing/ledger";
import { meantChange } from "@/lib/billing/meant-change";
import { withRefunds } from "@/lib/billing/refund-queries";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { randomAlphanumeric, seal, sha256Hex, unseal } from "@/lib/crypto";
import { AppError } from "@/lib/errors";
import { usableGroups } from "@/lib/group/queries";
import { isHashOnly, keyHintOf } from "@/lib/key-hint";
import { loadOptions } from "@/lib/option/queries";
import { requireProofOfSession } from "@/lib/proof";
import { TOKEN_STATUS } from "@/lib/row-status";
import { refuseChanged, seenAmount } from "@/lib/seen";
import { parseInput } from "@/lib/validation";
import { ownedBy, type TokenOwner, tokenOwner, tokenOwnerToSpend } from "./owner-queries";
import { isExhausted, isExpired, tokenFields, toToken } from "./queries";
import {
  type CreateTokenInput,
  createTokenSchema,
  QUOTA_MAX,
  type TokenStatusInput,
  tokenIdsSchema,
  tokenStatusSchema,
  type UpdateTokenInput,
  updateTokenSchema,
} from "./schemas";
import type { Token } from "./types";

const KEY_LENGTH = 48;

/** Creates a token of the current user, or of the account `userId` (tokenOwner). `key` is the whole key without "sk-". */
export async function createToken(
  ctx: ServiceContext,
  input: CreateTokenInput,
  userId?: number,
): Promise<{ token: Token; key: string }> {
  const owner = await tokenOwnerToSpend(ctx, userId);
  const values = parseInput(createTokenSchema, input);
  await assertGroupUsable(ctx.db, owner, values.group);
  const { key, columns } = newKey();
  const insert = async (db: Database): Promise<Token> => {
    const rows = await db
      .insert(tokens)
      .values({ ...values, userId: owner.id, ...columns })
      .returning(tokenFields);
    const [row] = rows;
    if (!row) throw new Error("insert returned no row");
    return row;
  };
  const row = owner.isOther
    ? await ctx.db.transaction(async (tx) => {
        const made = await insert(tx);
        await recordForOther(tx, ctx, owner, { action: "token.create", id: made.id, after: settingsOf(made) });
        return made;
      })
    : await insert(ctx.db);
  return { token: toToken(row), key };
}

/**
 * Changes the given fields, unless somebody else has changed one of those that the client says it saw. The limit is changed by the difference to what the client saw, see limitChange. A token that
 * is no longer expired or exhausted becomes enabled again.
 */
export async function updateToken(ctx: ServiceContext, input: UpdateTokenInput, userId?: number): Promise<Token> {
  const actor = await tokenOwnerToSpend(ctx, userId);
  const parsed = parseInput(updateTokenSchema, input);
  const { id, remainQuota: _wanted, usedQuotaSeen: _used, changeId: _change, statusSeen, seen, ...given } = parsed;
  const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return ctx.db.transaction(async (tx) => {
    const before = await lockToken(tx, actor, id);
    if (statusSeen !== undefined && isDisabled(statusSeen) !== isDisabled(before.status)) {
      throw new AppError("invalid", "statusAlone", { field: "status" });
    }
    refuseChanged(before, fields, seen);
    const remainQuota = before.remainQuota + (await limitChange(tx, before, parsed));
    // Under the row's lock, so nothing is charged between the read and this sum.
    const changes = { ...fields, remainQuota, grantedQuota: remainQuota + before.usedQuota };
    if (given.group !== undefined && given.group !== before.group) await assertGroupUsable(tx, actor, given.group);
    const status = revivedStatus(before, { ...before, ...changes });
    const [row] = await tx
      .update(tokens)
      .set({ ...changes, status })
      .where(eq(tokens.id, id))
      .returning(tokenFields);
    if (!row) throw new AppError("not_found", "tokenNotFound");
    if (row.remainQuota !== before.remainQuota || row.unlimitedQuota !== before.unlimitedQuota) {
      await announceTokenLimit(tx, actor.id, id);
    }
    const [was, is] = differing(settingsOf(before), settingsOf(row));
    await recordForOther(tx, ctx, actor, { action: "token.update", id, before: was, after: is });
    return toToken(row);
  });
}

/** Enables or disables a token. Enabling is refused while it is expired or exhausted. */
export async function setTokenStatus(ctx: ServiceContext, input: TokenStatusInput, userId?: number): Promise<Token> {
  const actor = await tokenOwner(ctx, userId);
  const { id, status } = parseInput(tokenStatusSchema, input);
  return ctx.db.transaction(async (tx) => {
    const before = await lockToken(tx, actor, id);
    if (status === TOKEN_STATUS.enabled) {
      if (isExpired(before)) throw new AppError("conflict", "tokenExpired");
      if (isExhausted(before)) throw new AppError("conflict", "tokenExhausted");
    }
    const [row] = await tx.update(tokens).set({ status }).where(eq(tokens.id, id)).returning(tokenFields);
    if (!row) throw new AppError("not_found", "tokenNotFound");
    const [was, is] = [{ status: before.status }, { status: row.status }];
    await recordForOther(tx, ctx, actor, { action: "token.status", id, before: was, after: is });
    return toToken(row);
  });
}

/** Deletes a token; its past usage stays in the logs. */
export async function deleteToken(ctx: ServiceContext, id: number, userId?: number): Promise<void> {
  if ((await deleteTokens(ctx, { ids: [id] }, userId)) === 0) throw new AppError("not_found", "tokenNotFound");
}

/** Deletes tokens of one account, at once or not at all; returns how many there were. Those of others are left alone. */
export async function deleteTokens(
  ctx: ServiceContext,
  input: z.input<typeof tokenIdsSchema>,
  userId?: number,
): Promise<number> {
  const owner = await tokenOwner(ctx, userId);
  const { ids } = parseInput(tokenIdsSchema, input);
  return ctx.db.transaction(async (tx) => {
    const rows = await tx
      .update(tokens)
      .set({ deletedAt: sql`now()` })
      .where(and(inArray(tokens.id, ids), ownedBy(owner)))
      .returning({ id: tokens.id, name: tokens.name, keyHint: tokens.keyHint });
    const changes = rows.map(({ id, ...before }) => ({ action: "token.delete", id, before }));
    await recordForOther(tx, ctx, owner, ...changes);
    return rows.length;
  });
}

type OthersChange = { action: string; id: number; before?: Partial<Token>; after?: Partial<Token> };

/** Records what an administrator did to a token of another account; what people do with their own is theirs. */
async function recordForOther(tx: Database, ctx: ServiceContext, owner: TokenOwner, ...changes: OthersChange[]) {
  if (!owner.isOther) return;
  const of = { userId: owner.id };
  const entries = changes.map(({ action, id, before, after }) => ({
    action,
    subject: `token:${id}`,
    ...(before ? { before: { ...of, ...before } } : {}),
    ...(after ? { after: { ...of, ...after } } : {}),
  }));
  await writeAudits(tx, ctx, entries);
}

/** What an administrator sets, and by what the key is known; amounts that are counted are left out. */
function settingsOf(token: Token): Partial<Token> {
  const { id: _id, userId: _user, createdTime: _made, accessedTime: _seen, usedQuota: _used, ...settings } = token;
  return settings;
}

/** The fields that differ, as they were and as they are. */
function differing(before: Partial<Token>, after: Partial<Token>): [Partial<Token>, Partial<Token>] {
  const names = (Object.keys(after) as (keyof Token)[]).filter((name) => before[name] !== after[name]);
  const only = (of: Partial<Token>) => Object.fromEntries(names.map((name) => [name, of[name]]));
  return [only(before), only(after)];
}

/**
 * Replaces a token's key and returns the new one, without "sk-". All gateways refuse the old key within a second (by
 * the row's notification); limits, usage and name stay. A session needs a recent proof.
 */
export async function rotateToken(ctx: ServiceContext, id: number): Promise<{ token: Token; key: string }> {
  const actor = requireRole(ctx, ROLE.user);
  requireProofOfSession(ctx);
  return ctx.db.transaction(async (tx) => {
    const before = await lockToken(tx, actor, id);
    const { key, columns } = newKey();
    const [row] = await tx.update(tokens).set(columns).where(eq(tokens.id, id)).returning(tokenFields);
    if (!row) throw new AppError("not_found", "tokenNotFound");
    await writeAudit(tx, ctx, {
      action: "token.rotate",
      subject: `token:${id}`,
      before: { name: before.name, keyHint: before.keyHint },
      after: { name: row.name, keyHint: row.keyHint },
    });
    return { token: toToken(row), key };
  });
}

/**
 * The whole key of one of the current user's tokens, without "sk-". A session needs a recent proof. The access is
 * recorded in the audit log.
 */
export async function revealToken(ctx: ServiceContext, id: number): Promise<string> {
  const [found] = await revealTokens(ctx, { ids: [id] });
  if (!found) throw new AppError("not_found", "tokenNotFound");
  return found.key;
}

/**
 * The same for several tokens, in the given order; other users' tokens are left out. Throws conflict where one is known by its hash
 * alone.
 */
export async function revealTokens(
  ctx: ServiceContext,
  input: z.input<typeof tokenIdsSchema>,
): Promise<{ id: number; name: string; key: string }[]> {
  const actor = requireRole(ctx, ROLE.user);
  requireProofOfSession(ctx);
  const { ids } = parseInput(tokenIdsSchema, input);
  const rows = await ctx.db
    .select({ id: tokens.id, name: tokens.name, keyCipher: tokens.keyCipher, keyHint: tokens.keyHint })
    .from(tokens)
    .where(and(inArray(tokens.id, ids), ownedBy(actor)));
  const hashOnly = rows.find(isHashOnly);
  if (hashOnly) throw new AppError("conflict", "tokenHashOnly", { name: hashOnly.name });
  await writeAudits(
    ctx.db,
    ctx,
    rows.map(({ id, name }) => ({ action: "token.reveal", subject: `token:${id}`, after: { name } })),
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => {
    const row = byId.get(id);
    return row ? [{ id, name: row.name, key: unseal(row.keyCipher) }] : [];
  });
}

function newKey() {
  const key = randomAlphanumeric(KEY_LENGTH);
  const columns = {
    keyHash: sha256Hex(key),
    keyCipher: seal(key),
    keyHint: keyHintOf(key),
  };
  return { key, columns };
}

async function lockToken(tx: Database, actor: { id: number }, id: number): Promise<Token> {
  const [row] = await tx
    .select(tokenFields)
    .from(tokens)
    .where(and(eq(tokens.id, id), ownedBy(actor)))
    .for("update");
  if (!row) throw new AppError("not_found", "tokenNotFound");
  return row;
}

type WantedLimit = Pick<z.output<typeof updateTokenSchema>, "remainQuota" | "seen" | "usedQuotaSeen" | "changeId">;

/**
 * By how much the limit changes (meantChange); 0 where this change was made before. While a token is unlimited, requests do not
 * lower its remaining quota, so its used quota says nothing about it.
 */
async function limitChange(tx: Database, before: Token, wanted: WantedLimit): Promise<number> {
  if (wanted.remainQuota === undefined) return 0;
  const seen = {
    amount: seenAmount(wanted.seen, "remainQuota"),
    used: before.unlimitedQuota ? undefined : wanted.usedQuotaSeen,
  };
  const now = { amount: before.remainQuota, used: before.usedQuota };
  const of = { userId: before.userId, tokenId: before.id };
  const change = meantChange(wanted.remainQuota, seen, await withRefunds(tx, now, seen, of));
  if (change === 0) return 0;
  if (wanted.changeId !== undefined) {
    const named = { name: `token:${before.id}:${wanted.changeId}`, amount: change, field: "remainQuota" };
    if (!(await isFirstChange(tx, named))) return 0;
  }
  if (wanted.remainQuota < 0 || Math.abs(before.remainQuota + change) > QUOTA_MAX)
    throw new AppError("invalid", "tokenQuotaInvalid", { field: "remainQuota" });
  return change;
}

const isDisabled = (status: number) => status === TOKEN_STATUS.disabled;

function revivedStatus(before: Token, after: Token): number {
  const revived =
    (before.status === TOKEN_STATUS.expired && !isExpired(after)) ||
    (before.status === TOKEN_STATUS.exhausted && !isExhausted(after));
  return revived ? TOKEN_STATUS.enabled : before.status;
}

async function assertGroupUsable(db: Database, actor: { group: string }, group: string): Promise<void> {
  if (group === "") return;
  const usable = usableGroups(await loadOptions(db), actor.group);
  if (!usable.some(({ name }) => name === group)) throw new AppError("invalid", "groupUnknown", { group });
}
