import { and, asc, desc, eq, gt, ilike, inArray, lte, ne, or, type SQL, sql } from "drizzle-orm";
import type { z } from "zod";
import { tokens } from "@/db/schema";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { unseal } from "@/lib/crypto";
import { AppError } from "@/lib/errors";
import { isHashOnly } from "@/lib/key-hint";
import { MATCHING_MAX } from "@/lib/matching-max";
import { escapeLike, offsetOf, type Page } from "@/lib/page";
import { hasProofOfSession } from "@/lib/proof";
import { TOKEN_STATUS } from "@/lib/row-status";
import { parseInput } from "@/lib/validation";
import { idsByKey } from "./key-search-queries";
import { ownedBy, type TokenOwner, tokenOwner } from "./owner-queries";
import { type TokenSearch, tokenSearchSchema } from "./schemas";
import type { Token } from "./types";

export const tokenFields = {
  id: tokens.id,
  userId: tokens.userId,
  keyHint: tokens.keyHint,
  status: tokens.status,
  name: tokens.name,
  createdTime: tokens.createdTime,
  accessedTime: tokens.accessedTime,
  expiredTime: tokens.expiredTime,
  remainQuota: tokens.remainQuota,
  usedQuota: tokens.usedQuota,
  unlimitedQuota: tokens.unlimitedQuota,
  modelLimitsEnabled: tokens.modelLimitsEnabled,
  modelLimits: tokens.modelLimits,
  operationLimits: tokens.operationLimits,
  allowIps: tokens.allowIps,
  denyIps: tokens.denyIps,
  group: tokens.group,
  rateLimitCount: tokens.rateLimitCount,
  rateLimitSeconds: tokens.rateLimitSeconds,
  rateLimitMessage: tokens.rateLimitMessage,
  tokensPerMinute: tokens.tokensPerMinute,
  concurrencyLimit: tokens.concurrencyLimit,
  budgetDay: tokens.budgetDay,
  budgetWeek: tokens.budgetWeek,
  budgetMonth: tokens.budgetMonth,
  captureUntil: tokens.captureUntil,
};

const SORT_COLUMNS = {
  id: tokens.id,
  name: tokens.name,
  usedQuota: tokens.usedQuota,
  remainQuota: tokens.remainQuota,
  createdTime: tokens.createdTime,
  accessedTime: tokens.accessedTime,
  expiredTime: tokens.expiredTime,
} as const;

/** The tokens of the current user, or of the account `userId` (tokenOwner), newest first unless sorted otherwise. */
export async function listTokens(ctx: ServiceContext, input: TokenSearch = {}, userId?: number): Promise<Page<Token>> {
  const actor = await tokenOwner(ctx, userId);
  const search = parseInput(tokenSearchSchema, input);
  const conditions = await matching(ctx, actor, search);
  const [rows, total] = await Promise.all([
    ctx.db
      .select(tokenFields)
      .from(tokens)
      .where(conditions)
      .orderBy(...orderOf(search))
      .limit(search.pageSize)
      .offset(offsetOf(search)),
    ctx.db.$count(tokens, conditions),
  ]);
  return { items: rows.map(toToken), total, page: search.page, pageSize: search.pageSize };
}

/** The ids of the current user's tokens that match, in the order of the list, at most MATCHING_MAX; to change them together. */
export async function listTokenIds(ctx: ServiceContext, input: TokenSearch = {}): Promise<number[]> {
  const actor = await tokenOwner(ctx);
  const search = parseInput(tokenSearchSchema, input);
  const rows = await ctx.db
    .select({ id: tokens.id })
    .from(tokens)
    .where(await matching(ctx, actor, search))
    .orderBy(...orderOf(search))
    .limit(MATCHING_MAX);
  return rows.map(({ id }) => id);
}

type ParsedSearch = z.output<typeof tokenSearchSchema>;

async function matching(ctx: ServiceContext, actor: TokenOwner, search: ParsedSearch): Promise<SQL | undefined> {
  return and(
    ownedBy(actor),
    search.keyword === "" ? undefined : ilike(tokens.name, `%${escapeLike(search.keyword)}%`),
    search.group === undefined ? undefined : eq(tokens.group, search.group),
    search.status === undefined ? undefined : statusIs(search.status),
    search.key === ""
      ? undefined
      : // One parameter, however many ids match.
        sql`${tokens.id} = any(${sql.param(await idsByKey(ctx, actor, search.key))}::int[])`,
  );
}

function orderOf({ sort, descending }: ParsedSearch): SQL[] {
  const column = SORT_COLUMNS[sort];
  return descending ? [desc(column), desc(tokens.id)] : [asc(column), asc(tokens.id)];
}

/** One token of the current user, or of the account `userId` (tokenOwner). Throws not_found also for another's. */
export async function getToken(ctx: ServiceContext, id: number, userId?: number): Promise<Token> {
  const actor = await tokenOwner(ctx, userId);
  const [row] = await ctx.db
    .select(tokenFields)
    .from(tokens)
    .where(and(eq(tokens.id, id), ownedBy(actor)));
  if (!row) throw new AppError("not_found", "tokenNotFound");
  return toToken(row);
}

/**
 * The keys of the current user's tokens among `ids`, for clients that need them whole; without those known by a hash alone.
 * Where revealing a key would need a proof, there are none.
 */
export async function readTokenKeys(ctx: ServiceContext, ids: number[]): Promise<Map<number, string>> {
  const actor = requireRole(ctx, ROLE.user);
  if (ids.length === 0 || !hasProofOfSession(ctx)) return new Map();
  const rows = await ctx.db
    .select({ id: tokens.id, keyCipher: tokens.keyCipher, keyHint: tokens.keyHint })
    .from(tokens)
    .where(and(inArray(tokens.id, ids), ownedBy(actor)));
  return new Map(rows.filter((row) => !isHashOnly(row)).map((row) => [row.id, unseal(row.keyCipher)]));
}

/** The current status: an enabled token that is expired or exhausted is shown so before the relay has marked it. */
export function toToken(row: Token): Token {
  if (row.status !== TOKEN_STATUS.enabled) return row;
  if (isExpired(row)) return { ...row, status: TOKEN_STATUS.expired };
  return isExhausted(row) ? { ...row, status: TOKEN_STATUS.exhausted } : row;
}

export function isExpired(token: Pick<Token, "expiredTime">): boolean {
  return token.expiredTime !== -1 && token.expiredTime <= nowSeconds();
}

export function isExhausted(token: Pick<Token, "unlimitedQuota" | "remainQuota">): boolean {
  return !token.unlimitedQuota && token.remainQuota <= 0;
}

function statusIs(status: number): SQL | undefined {
  const expired = and(ne(tokens.expiredTime, -1), lte(tokens.expiredTime, nowSeconds()));
  const exhausted = and(eq(tokens.unlimitedQuota, false), lte(tokens.remainQuota, 0));
  const enabled = eq(tokens.status, TOKEN_STATUS.enabled);
  const stored = eq(tokens.status, status);
  if (status === TOKEN_STATUS.expired) return or(stored, and(enabled, expired));
  if (status === TOKEN_STATUS.exhausted) return or(stored, and(enabled, exhausted, sql`not ${expired}`));
  if (status === TOKEN_STATUS.disabled) return stored;
  const unexpired = or(eq(tokens.expiredTime, -1), gt(tokens.expiredTime, nowSeconds()));
  return and(stored, unexpired, or(eq(tokens.unlimitedQuota, true), gt(tokens.remainQuota, 0)));
}
