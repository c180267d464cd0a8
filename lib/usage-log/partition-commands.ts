import { sql } from "drizzle-orm";
import { LOCK_WAIT_MS, tryWhileLocked } from "@/db/brief-locks";
import { SQL_STATE, sqlStateOf } from "@/db/sql-state";
import type { ServiceContext } from "@/lib/context";
import { logger } from "@/lib/logger";

type Month = { name: string };

type Context = Pick<ServiceContext, "db">;

/**
 * Drops the log's monthly partitions that lie within [from, until) as a whole (unix seconds); returns the number of rows in
 * them. A partition whose lock cannot be obtained is skipped; the calling function deletes its rows.
 */
export async function dropLogPartitions(ctx: Context, until: number, from = 0): Promise<number> {
  let total = 0;
  for (const { name } of await monthsWithin(ctx, from, until)) total += await drop(ctx, name);
  return total;
}

/** Partitions by their bounds; the default one has none and is left out. */
async function monthsWithin({ db }: Context, from: number, until: number): Promise<Month[]> {
  return db.execute<Month>(sql`
    select child.relname as name
    from pg_inherits
    join pg_class child on child.oid = pg_inherits.inhrelid
    where pg_inherits.inhparent = 'usage_logs'::regclass
      and (regexp_match(pg_get_expr(child.relpartbound, child.oid), 'FROM \\(''?(\\d+)''?\\)'))[1]::bigint >= ${from}::bigint
      and (regexp_match(pg_get_expr(child.relpartbound, child.oid), 'TO \\(''?(\\d+)''?\\)'))[1]::bigint <= ${until}::bigint
    order by child.relname`);
}

/**
 * Dropping needs an exclusive lock on the whole table, and everybody queues behind who waits for it. PostgreSQL can
 * detach a partition without that lock (CONCURRENTLY), but not beside a default partition.
 */
async function drop({ db }: Context, name: string): Promise<number> {
  const table = sql.identifier(name);
  try {
    // Counted before the lock is taken, because the lock blocks everybody; no rows are added to a past month.
    const [row] = await db.execute<{ count: number }>(sql`select count(*)::int as count from ${table}`);
    const dropped = await tryWhileLocked(() =>
      db.transaction(async (tx) => {
        await tx.execute(sql`select set_config('lock_timeout', ${`${LOCK_WAIT_MS}ms`}, true)`);
        await tx.execute(sql`drop table ${table}`);
        return true;
      }),
    );
    if (dropped) return row?.count ?? 0;
  } catch (error) {
    // Another process has dropped it.
    if (sqlStateOf(error) === SQL_STATE.undefinedTable) return 0;
    throw error;
  }
  logger.warn({ partition: name }, "a month of the usage log is in use and could not be dropped; its rows are deleted");
  return 0;
}
