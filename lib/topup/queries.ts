import { and, desc, eq, gte, inArray, lte, or, type SQL, sql } from "drizzle-orm";
import { ledgerEntries, paymentCallbacks, topUps, users } from "@/db/schema";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { offsetOf, type Page } from "@/lib/page";
import { requireReach } from "@/lib/user/reach-queries";
import { parseInput } from "@/lib/validation";
import {
  type CallbackSearch,
  callbackSearchSchema,
  type LedgerSearch,
  ledgerSearchSchema,
  type TopUpSearch,
  topUpSearchSchema,
} from "./schemas";
import type { PaymentCallback, TopUp } from "./types";

/** The current user's purchases, newest first. */
export async function listOwnTopUps(ctx: ServiceContext, input: TopUpSearch = {}): Promise<Page<TopUp>> {
  const actor = requireRole(ctx, ROLE.user);
  return findTopUps(ctx, { ...input, keyword: "" }, eq(topUps.userId, actor.id));
}

/** All purchases, newest first (administrators). */
export async function listTopUps(ctx: ServiceContext, input: TopUpSearch = {}): Promise<Page<TopUp>> {
  requireRole(ctx, ROLE.admin);
  return findTopUps(ctx, input, undefined);
}

async function findTopUps(ctx: ServiceContext, input: TopUpSearch, owner: SQL | undefined): Promise<Page<TopUp>> {
  const search = parseInput(topUpSearchSchema, input);
  const conditions = and(
    owner,
    search.status === undefined ? undefined : eq(topUps.status, search.status),
    search.provider === undefined ? undefined : eq(topUps.provider, search.provider),
    search.from === undefined ? undefined : gte(topUps.createTime, search.from),
    search.until === undefined ? undefined : lte(topUps.createTime, search.until),
    search.keyword === "" ? undefined : await buyerOrTrade(ctx, search.keyword),
  );
  // Selects the page first, so that names are joined only for its rows.
  const page = ctx.db
    .select()
    .from(topUps)
    .where(conditions)
    .orderBy(desc(topUps.id))
    .limit(search.pageSize)
    .offset(offsetOf(search))
    .as("page");
  const [items, total] = await Promise.all([
    ctx.db
      .select({
        id: page.id,
        userId: page.userId,
        username: sql<string>`coalesce(${users.username}, '')`,
        amount: page.amount,
        money: page.money,
        currency: page.currency,
        quota: page.quota,
        refunded: sql<number>`${page.reversedCents} / 100.0::float8`,
        tradeNo: page.tradeNo,
        provider: page.provider,
        paymentMethod: page.paymentMethod,
        status: page.status,
        createTime: page.createTime,
        completeTime: page.completeTime,
      })
      .from(page)
      .leftJoin(users, eq(users.id, page.userId))
      .orderBy(desc(page.id)),
    ctx.db.$count(topUps, conditions),
  ]);
  return { items, total, page: search.page, pageSize: search.pageSize };
}

/** The buyer is looked up first, so that each part of the condition can use an index. */
async function buyerOrTrade(ctx: ServiceContext, keyword: string): Promise<SQL | undefined> {
  const named = await ctx.db
    .select({ id: users.id })
    .from(users)
    .where(sql`lower(${users.username}) = lower(${keyword})`);
  const ids = named.map(({ id }) => id);
  if (/^\d{1,9}$/.test(keyword)) ids.push(Number(keyword));
  return or(inArray(topUps.userId, ids), eq(topUps.tradeNo, keyword));
}

/** One change of a balance. */
export type LedgerMovement = {
  id: number;
  userId: number;
  amount: number;
  kind: string;
  reference: string;
  note: string;
  createdAt: number;
};

/**
 * Every balance change of the current user except metered consumption, newest first; of other users for administrators.
 * Throws forbidden for an account out of reach.
 */
export async function listLedger(ctx: ServiceContext, input: LedgerSearch = {}): Promise<Page<LedgerMovement>> {
  const search = parseInput(ledgerSearchSchema, input);
  const userId = search.userId ?? requireRole(ctx, ROLE.user).id;
  await requireReach(ctx, userId);
  const conditions = and(
    eq(ledgerEntries.userId, userId),
    search.kind === undefined ? undefined : eq(ledgerEntries.kind, search.kind),
    search.from === undefined ? undefined : gte(ledgerEntries.createdAt, search.from),
    search.until === undefined ? undefined : lte(ledgerEntries.createdAt, search.until),
  );
  const [items, total] = await Promise.all([
    ctx.db
      .select({
        id: ledgerEntries.id,
        userId: ledgerEntries.userId,
        amount: ledgerEntries.amount,
        kind: ledgerEntries.kind,
        reference: ledgerEntries.reference,
        note: ledgerEntries.note,
        createdAt: ledgerEntries.createdAt,
      })
      .from(ledgerEntries)
      .where(conditions)
      .orderBy(desc(ledgerEntries.id))
      .limit(search.pageSize)
      .offset(offsetOf(search)),
    ctx.db.$count(ledgerEntries, conditions),
  ]);
  return { items, total, page: search.page, pageSize: search.pageSize };
}

/** Calls of payment providers, newest first (root). */
export async function listCallbacks(ctx: ServiceContext, input: CallbackSearch = {}): Promise<Page<PaymentCallback>> {
  requireRole(ctx, ROLE.root);
  const search = parseInput(callbackSearchSchema, input);
  const conditions = and(
    search.outcome === undefined ? undefined : eq(paymentCallbacks.outcome, search.outcome),
    search.keyword === "" ? undefined : eq(paymentCallbacks.tradeNo, search.keyword),
  );
  const [rows, total] = await Promise.all([
    ctx.db
      .select()
      .from(paymentCallbacks)
      .where(conditions)
      .orderBy(desc(paymentCallbacks.id))
      .limit(search.pageSize)
      .offset(offsetOf(search)),
    ctx.db.$count(paymentCallbacks, conditions),
  ]);
  const items = rows.map(({ eventId: _eventId, payload, ...row }) => ({
    ...row,
    payload: payload as Record<string, unknown>,
  }));
  return { items, total, page: search.page, pageSize: search.pageSize };
}
