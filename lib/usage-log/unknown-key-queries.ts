import { and, desc, gte, lte, max, sql } from "drizzle-orm";
import { unknownKeyHours } from "@/db/schema";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";

const LISTED_MAX = 20;
const HOUR_SECONDS = 3_600;

/** Requests with unknown API keys; "" = of addresses that are not told apart. */
export type UnknownKeyAddress = { address: string; count: number; lastHour: number };

/** The addresses with the most requests with unknown API keys in the hours of a time (administrators). */
export async function listUnknownKeys(
  ctx: ServiceContext,
  { from, until }: { from: number; until: number },
): Promise<UnknownKeyAddress[]> {
  requireRole(ctx, ROLE.admin);
  const count = sql<number>`sum(${unknownKeyHours.count})::bigint`.mapWith(Number);
  const rows = await ctx.db
    .select({ address: unknownKeyHours.address, count, lastHour: max(unknownKeyHours.hour) })
    .from(unknownKeyHours)
    .where(and(gte(unknownKeyHours.hour, from - (from % HOUR_SECONDS)), lte(unknownKeyHours.hour, until)))
    .groupBy(unknownKeyHours.address)
    .orderBy(desc(count), unknownKeyHours.address)
    .limit(LISTED_MAX);
  return rows.map(({ lastHour, ...row }) => ({ ...row, lastHour: lastHour ?? 0 }));
}
