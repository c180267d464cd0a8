import { and, lt, not, sql } from "drizzle-orm";
import { usageLogs } from "@/db/schema";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";

/** Counting further would only take time; an exact number of millions helps nobody. */
const COUNT_MAX = 1_000_000;

/** The number of visible log rows before a time (unix seconds); `more` when counting stopped at COUNT_MAX. Throws invalid. */
export async function countLogsBefore(ctx: ServiceContext, until: number): Promise<{ count: number; more: boolean }> {
  requireRole(ctx, ROLE.admin);
  if (!Number.isSafeInteger(until) || until <= 0) throw new AppError("invalid", "logTargetMissing");
  const [row] = await ctx.db.select({ count: sql<number>`count(*)::int` }).from(
    ctx.db
      .select({ one: sql`1` })
      .from(usageLogs)
      .where(and(lt(usageLogs.createdAt, until), not(usageLogs.hidden)))
      .limit(COUNT_MAX + 1)
      .as("counted"),
  );
  const count = row?.count ?? 0;
  return { count: Math.min(count, COUNT_MAX), more: count > COUNT_MAX };
}
