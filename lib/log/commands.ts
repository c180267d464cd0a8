import { sql } from "drizzle-orm";
import { writeAudit } from "@/lib/audit/commands";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";

const BATCH = 5_000;
/** The newest rows stay: their request ids keep a repeated settlement from charging twice. */
const KEEP_SECONDS = 60;

/**
 * Removes log rows up to a moment, in batches so that nothing else waits; returns how many. Balances and hourly sums are
 * not touched.
 */
export async function deleteLogs(ctx: ServiceContext, targetTimestamp: number): Promise<number> {
  requireRole(ctx, ROLE.admin);
  if (!Number.isSafeInteger(targetTimestamp) || targetTimestamp <= 0) throw new AppError("invalid", "logTargetMissing");
  const until = Math.min(targetTimestamp, nowSeconds() - KEEP_SECONDS);
  await ctx.db.transaction((tx) => writeAudit(tx, ctx, { action: "log.delete", subject: "log", after: { until } }));
  let total = 0;
  for (;;) {
    const rows = await ctx.db.execute<{ removed: number }>(sql`
      with doomed as (
        select created_at, id from usage_logs where created_at < ${until}::bigint order by created_at limit ${BATCH}
      ), gone as (
        delete from usage_logs using doomed
        where usage_logs.created_at = doomed.created_at and usage_logs.id = doomed.id returning 1
      )
      select count(*)::int as removed from gone`);
    const removed = rows[0]?.removed ?? 0;
    total += removed;
    if (removed < BATCH) return total;
  }
}
