import { lt, sql } from "drizzle-orm";
import { databaseOf, type Sql } from "@/db/client";
import { logRestores, usageLogs } from "@/db/schema";
import { writeAudit } from "@/lib/audit/commands";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { type Clearing, clearStoredLogs } from "@/lib/log-store/clear-commands";
import { LOGS_CLEARED } from "@/lib/log-store/cleared";
import type { LogStore } from "@/lib/log-store/clickhouse/client";
import { LOG_TABLE } from "@/lib/log-store/clickhouse/tables";
import { logStore } from "@/lib/log-store/store";
import { isStoreTrouble, reasonOf } from "@/lib/log-store/trouble";
import { logger } from "@/lib/logger";
import { clearableRanges } from "./archive-queries";
import { isArchiving } from "./archive-status-queries";
import { dropLogPartitions } from "./partition-commands";
import { logSource } from "./source";

const BATCH = 5_000;
/** The newest rows are left alone: requests that are being settled still refer to them. */
const LEFT_SECONDS = 60;
/** The request ids of a day are kept, because they prevent double charging when a settlement is repeated. */
export const KNOWN_SECONDS = 86_400;

/**
 * Deletes log rows before a time (unix seconds); returns how many. Monthly partitions that are entirely older are
 * dropped, which is fast; other rows are deleted in batches, so that nothing is blocked for long. Requests of the last
 * day are emptied and hidden, and deleted when the day is over. Balances and hourly sums do not change. Throws invalid
 * without a time.
 *
 * Where rows are archived first, the worker does all that within minutes: this returns how many rows it will be.
 */
export async function deleteLogs(ctx: ServiceContext, targetTimestamp: number): Promise<number> {
  requireRole(ctx, ROLE.admin);
  if (!Number.isSafeInteger(targetTimestamp) || targetTimestamp <= 0) throw new AppError("invalid", "logTargetMissing");
  const until = Math.min(targetTimestamp, nowSeconds() - LEFT_SECONDS);
  const known = Math.min(until, nowSeconds() - KNOWN_SECONDS);
  const store = logStore();
  // What cannot be cleared must not be said to be; this throws while the log store cannot be read.
  if (store !== null) await store.query(`select 1 from ${LOG_TABLE} limit 1`);
  const isLater = await isArchiving(ctx.sql);
  // Before readers leave out what is to be cleared.
  const waiting = isLater ? await countVisible(ctx, until) : 0;
  await ctx.db.transaction(async (tx) => {
    await writeAudit(tx, ctx, { action: "log.delete", subject: "log", after: { until } });
    // Before the first row goes: the check of the books must not take deleted rows for missing ones.
    await tx.execute(sql`select weir_note_cleared(${until}::bigint, 'request')`);
    // Rows that were put back to be looked at go, too.
    await tx.delete(logRestores).where(lt(logRestores.fromTime, until));
  });
  if (isLater) return waiting;
  let total = await dropLogPartitions(ctx, known);
  total += await inBatches(() => deleteBatch(ctx, known));
  total += await inBatches(() => hideBatch(ctx, known, until));
  return store === null ? total : total + (await clearStored(store, { known, until, isAsked: true }));
}

/** By now nobody sees the rows any more. What the log store cannot remove, the job log-clearing removes. */
async function clearStored(store: LogStore, clearing: Clearing): Promise<number> {
  try {
    return await clearStoredLogs(store, clearing);
  } catch (error) {
    const said = isStoreTrouble(error) ? { reason: reasonOf(error) } : { err: error };
    logger.warn(said, "the log store has not removed the cleared rows; the job log-clearing repeats it");
    return 0;
  }
}

function countVisible(ctx: ServiceContext, until: number): Promise<number> {
  const asked = { where: lt(usageLogs.createdAt, until), isShown: true, until: until - 1 };
  return logSource(ctx).count(asked, Number.MAX_SAFE_INTEGER);
}

/**
 * Deletes, without archiving, what deleteLogs only hid or the retention has given up, once it is old enough; returns how
 * many rows.
 */
export async function deleteClearedLogs(pool: Sql, knownSeconds = KNOWN_SECONDS): Promise<number> {
  const [row] = await pool<{ until: number; cleared: number }[]>`
    select position as cleared, least(position, extract(epoch from now())::bigint - ${knownSeconds}) as until
    from job_positions where job = ${LOGS_CLEARED}`;
  if (!row) return 0;
  const store = logStore();
  let total =
    store === null ? 0 : await clearStoredLogs(store, { known: row.until, until: row.cleared, isAsked: false });
  for (const { start, end } of await clearableRanges(pool, { start: 0, end: row.until })) {
    total += await dropLogPartitions({ db: databaseOf(pool) }, end, start);
    total += await inBatches(async () => {
      const gone = await pool`
        delete from usage_logs using (
          select created_at, id from usage_logs
          where created_at >= ${start} and created_at < ${end} order by created_at limit ${BATCH}) as old
        where usage_logs.created_at = old.created_at and usage_logs.id = old.id`;
      return gone.count;
    });
  }
  return total;
}

async function inBatches(next: () => Promise<number>): Promise<number> {
  for (let total = 0; ; ) {
    const done = await next();
    total += done;
    if (done < BATCH) return total;
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

async function hideBatch({ db }: ServiceContext, from: number, until: number): Promise<number> {
  const rows = await db.execute<{ hidden: number }>(sql`
    with chosen as (
      select created_at, id from usage_logs
      where created_at >= ${from}::bigint and created_at < ${until}::bigint and not hidden
      order by created_at limit ${BATCH}
    ), emptied as (
      update usage_logs set hidden = true, content = '', client_ip = '', other = '{}'::jsonb from chosen
      where usage_logs.created_at = chosen.created_at and usage_logs.id = chosen.id returning 1
    )
    select count(*)::int as hidden from emptied`);
  return rows[0]?.hidden ?? 0;
}
