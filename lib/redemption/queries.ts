import { and, asc, desc, eq, gt, isNull, lte, ne, or, type SQL, sql } from "drizzle-orm";
import type { z } from "zod";
import { redemptions } from "@/db/schema";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { MATCHING_MAX } from "@/lib/matching-max";
import { escapeLike, offsetOf, type Page } from "@/lib/page";
import { REDEMPTION_EXPIRED, REDEMPTION_STATUS } from "@/lib/row-status";
import { parseInput } from "@/lib/validation";
import { type RedemptionSearch, redemptionSearchSchema } from "./schemas";
import type { Redemption } from "./types";

export const redemptionFields = {
  id: redemptions.id,
  userId: redemptions.userId,
  key: redemptions.key,
  status: redemptions.status,
  name: redemptions.name,
  quota: redemptions.quota,
  createdTime: redemptions.createdTime,
  redeemedTime: redemptions.redeemedTime,
  expiredTime: redemptions.expiredTime,
  usedUserId: redemptions.usedUserId,
};

const SORT_COLUMNS = {
  id: redemptions.id,
  name: redemptions.name,
  quota: redemptions.quota,
  status: redemptions.status,
  createdTime: redemptions.createdTime,
  redeemedTime: redemptions.redeemedTime,
} as const;

/** Redemption codes, newest first unless sorted otherwise (administrators). */
export async function listRedemptions(ctx: ServiceContext, input: RedemptionSearch = {}): Promise<Page<Redemption>> {
  requireRole(ctx, ROLE.admin);
  const search = parseInput(redemptionSearchSchema, input);
  const conditions = matching(search);
  const [items, total] = await Promise.all([
    ctx.db
      .select(redemptionFields)
      .from(redemptions)
      .where(conditions)
      .orderBy(...orderOf(search))
      .limit(search.pageSize)
      .offset(offsetOf(search)),
    ctx.db.$count(redemptions, conditions),
  ]);
  return { items, total, page: search.page, pageSize: search.pageSize };
}

/** The ids of the codes that match, in the order of the list, at most MATCHING_MAX; to change them together (administrators). */
export async function listRedemptionIds(ctx: ServiceContext, input: RedemptionSearch = {}): Promise<number[]> {
  requireRole(ctx, ROLE.admin);
  const search = parseInput(redemptionSearchSchema, input);
  const rows = await ctx.db
    .select({ id: redemptions.id })
    .from(redemptions)
    .where(matching(search))
    .orderBy(...orderOf(search))
    .limit(MATCHING_MAX);
  return rows.map(({ id }) => id);
}

type ParsedSearch = z.output<typeof redemptionSearchSchema>;

function matching({ keyword, status }: ParsedSearch): SQL | undefined {
  return and(
    isNull(redemptions.deletedAt),
    keywordMatches(keyword),
    status === undefined ? undefined : hasStatus(status),
  );
}

/** An unused code whose time is over is expired, and is not among the unused ones. */
function hasStatus(status: NonNullable<ParsedSearch["status"]>): SQL | undefined {
  if (status === REDEMPTION_STATUS.disabled || status === REDEMPTION_STATUS.used) return eq(redemptions.status, status);
  const now = nowSeconds();
  const isUnused = eq(redemptions.status, REDEMPTION_STATUS.unused);
  return status === REDEMPTION_EXPIRED
    ? and(isUnused, ne(redemptions.expiredTime, 0), lte(redemptions.expiredTime, now))
    : and(isUnused, or(eq(redemptions.expiredTime, 0), gt(redemptions.expiredTime, now)));
}

function orderOf({ sort, descending }: ParsedSearch): SQL[] {
  const column = SORT_COLUMNS[sort];
  return descending ? [desc(column), desc(redemptions.id)] : [asc(column), asc(redemptions.id)];
}

/** One redemption code (administrators). Throws not_found. */
export async function getRedemption(ctx: ServiceContext, id: number): Promise<Redemption> {
  requireRole(ctx, ROLE.admin);
  const [row] = await ctx.db.select(redemptionFields).from(redemptions).where(isLive(id));
  if (!row) throw new AppError("not_found", "redemptionNotFound");
  return row;
}

export function isLive(id: number): SQL | undefined {
  return and(eq(redemptions.id, id), isNull(redemptions.deletedAt));
}

function keywordMatches(keyword: string): SQL | undefined {
  if (keyword === "") return undefined;
  const byName = sql`lower(${redemptions.name}) like ${`%${escapeLike(keyword.toLowerCase())}%`}`;
  return /^\d{1,9}$/.test(keyword) ? or(eq(redemptions.id, Number(keyword)), byName) : byName;
}
