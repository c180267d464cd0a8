import { and, asc, desc, eq, isNull, or, type SQL, sql } from "drizzle-orm";
import { redemptions } from "@/db/schema";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { escapeLike, offsetOf, type Page } from "@/lib/page";
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
  const conditions = and(
    isNull(redemptions.deletedAt),
    keywordMatches(search.keyword),
    search.status === undefined ? undefined : eq(redemptions.status, search.status),
  );
  const column = SORT_COLUMNS[search.sort];
  const [items, total] = await Promise.all([
    ctx.db
      .select(redemptionFields)
      .from(redemptions)
      .where(conditions)
      .orderBy(...(search.descending ? [desc(column), desc(redemptions.id)] : [asc(column), asc(redemptions.id)]))
      .limit(search.pageSize)
      .offset(offsetOf(search)),
    ctx.db.$count(redemptions, conditions),
  ]);
  return { items, total, page: search.page, pageSize: search.pageSize };
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
  const byName = sql`lower(${redemptions.name}) like ${`${escapeLike(keyword.toLowerCase())}%`}`;
  return /^\d{1,9}$/.test(keyword) ? or(eq(redemptions.id, Number(keyword)), byName) : byName;
}
