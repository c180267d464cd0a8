import { sql } from "drizzle-orm";
import { jobPositions } from "@/db/schema";
import { writeAudit } from "@/lib/audit/commands";
import { LOGS_CLEARED } from "@/lib/billing/reconcile-hours";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { dropLogPartitions } from "./partition-commands";

const BATCH = 5_000;
/** The newest rows are kept: their request ids prevent double charging when a settlement is repeated. */
const KEEP_SECONDS = 60;

/**
 * Deletes log rows before a time (unix seconds); returns how many. Monthly partitions that are entirely older are
 * dropped, which is fast; other rows are deleted in batches, so that nothing is blocked for long. Balances and hourly
 * sums do not change. Throws invalid without a time.
 */
export async function deleteLogs(ctx: ServiceContext, targetTimestamp: number): Promise<number> {
  requireRole(ctx, ROLE.admin);
  if (!Number.isSafeInteger(targetTimestamp) || targetTimestamp <= 0) throw new AppError("invalid", "logTargetMissing");
  const until = Math.min(targetTimestamp, nowSeconds() - KEEP_SECONDS);
  await ctx.db.transaction(async (tx) => {
    await writeAudit(tx, ctx, { action: "log.delete", subject: "log", after: { until } });
    // Before the first row goes: the check of the books must not take deleted rows for missing ones.
    await tx
      .insert(jobPositions)
      .values({ job: LOGS_CLEARED, position: until })
      .onConflictDoUpdate({
        target: jobPositions.job,
        set: { position: sql`greatest(${jobPositions.position}, excluded.position)`, updatedAt: nowSeconds() },
      });
  });
  let total = await dropLogPartitions(ctx, until);
  for (;;) {
    const removed = await deleteBatch(ctx, until);
    total += removed;
    if (removed < BATCH) return total;
  }
}

async function deleteBatch({ db }: ServiceContext, until: number): Promise<number> {
  const rows = await db.execute<{ removed: number }>(sql`
    with doomed as (
      select created_at, id from usage_logs where created_at < ${until}::bigint order by created_at limit ${BATCH}
    ), gone as (
      delete from usage_logs using doomed
      where usage_logs.created_at = doomed.created_at and usage_logs.id = doomed.id returning 1
    )
    select count(*)::int as removed from gone`);
  return rows[0]?.removed ?? 0;
}
