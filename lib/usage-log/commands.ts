import { sql } from "drizzle-orm";
import { writeAudit } from "@/lib/audit/commands";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { dropLogPartitions } from "./partition-commands";

const BATCH = 5_000;
/** The newest rows stay: their request ids keep a repeated settlement from charging twice. */
const KEEP_SECONDS = 60;

/**
 * Removes log rows before a moment (unix seconds); returns how many. Months that lie before it as a whole are dropped,
 * which takes moments however large they are; the rest goes in batches, so that nothing else waits. Balances and hourly
 * sums are not touched. Throws invalid without a moment.
 */
export async function deleteLogs(ctx: ServiceContext, targetTimestamp: number): Promise<number> {
  requireRole(ctx, ROLE.admin);
  if (!Number.isSafeInteger(targetTimestamp) || targetTimestamp <= 0) throw new AppError("invalid", "logTargetMissing");
  const until = Math.min(targetTimestamp, nowSeconds() - KEEP_SECONDS);
  await ctx.db.transaction((tx) => writeAudit(tx, ctx, { action: "log.delete", subject: "log", after: { until } }));
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
