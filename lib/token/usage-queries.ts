import { and, eq, gte, inArray, sql } from "drizzle-orm";
import { usageHourly } from "@/db/schema";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import type { TokenUsage } from "./types";

const HOUR = 3_600;
const DAY = 86_400;
export const USAGE_DAYS = 7;

/**
 * Usage of the current user's tokens in the last seven 24-hour periods, from the hourly sums that are booked with each
 * charge. The periods end with the current hour, so no time zone is needed. A token without usage has no entry.
 */
export async function readTokenUsage(ctx: ServiceContext, ids: readonly number[]): Promise<Record<number, TokenUsage>> {
  const actor = requireRole(ctx, ROLE.user);
  if (ids.length === 0) return {};
  const now = nowSeconds();
  const from = now - (now % HOUR) + HOUR - USAGE_DAYS * DAY;
  const span = sql<number>`((${usageHourly.hour} - ${from}) / ${DAY})::int`;
  const rows = await ctx.db
    .select({
      tokenId: usageHourly.tokenId,
      span: span.mapWith(Number),
      quota: sql`sum(${usageHourly.quota})::bigint`.mapWith(Number),
      count: sql`sum(${usageHourly.count})::bigint`.mapWith(Number),
    })
    .from(usageHourly)
    .where(and(eq(usageHourly.userId, actor.id), gte(usageHourly.hour, from), inArray(usageHourly.tokenId, [...ids])))
    .groupBy(usageHourly.tokenId, sql`2`);
  const usage: Record<number, TokenUsage> = {};
  for (const row of rows) {
    usage[row.tokenId] ??= { quota: Array(USAGE_DAYS).fill(0), count: 0 };
    const entry = usage[row.tokenId];
    if (!entry || row.span < 0 || row.span >= USAGE_DAYS) continue;
    entry.quota[row.span] = (entry.quota[row.span] ?? 0) + row.quota;
    entry.count += row.count;
  }
  return usage;
}
