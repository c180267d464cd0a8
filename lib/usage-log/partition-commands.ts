import { sql } from "drizzle-orm";
import type { ServiceContext } from "@/lib/context";
import { logger } from "@/lib/logger";

/** Dropping needs an exclusive lock on the whole table. Other queries queue behind it, so the wait is short. */
const LOCK_WAIT_MS = 1_000;
const TRIES = 5;

type Month = { name: string };

/**
 * Drops the log's monthly partitions that end at or before a time (unix seconds); returns the number of rows in them. A
 * partition whose lock cannot be obtained is skipped; the calling function deletes its rows.
 */
export async function dropLogPartitions(ctx: ServiceContext, until: number): Promise<number> {
  let total = 0;
  for (const { name } of await monthsBefore(ctx, until)) total += await drop(ctx, name);
  return total;
}

/** Partitions with their upper bound; the default one has none and is left out. */
async function monthsBefore({ db }: ServiceContext, until: number): Promise<Month[]> {
  return db.execute<Month>(sql`
    select child.relname as name
    from pg_inherits
    join pg_class child on child.oid = pg_inherits.inhrelid
    where pg_inherits.inhparent = 'usage_logs'::regclass
      and (regexp_match(pg_get_expr(child.relpartbound, child.oid), 'TO \\(''?(\\d+)''?\\)'))[1]::bigint <= ${until}::bigint
    order by child.relname`);
}

async function drop({ db }: ServiceContext, name: string): Promise<number> {
  const table = sql.identifier(name);
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    try {
      // Counted before the lock is taken, because the lock blocks everybody; no rows are added to a past month.
      const [row] = await db.execute<{ count: number }>(sql`select count(*)::int as count from ${table}`);
      await db.transaction(async (tx) => {
        await tx.execute(sql`select set_config('lock_timeout', ${`${LOCK_WAIT_MS}ms`}, true)`);
        await tx.execute(sql`drop table ${table}`);
      });
      return row?.count ?? 0;
    } catch (error) {
      const code = codeOf(error);
      // Another process has dropped it.
      if (code === UNDEFINED_TABLE) return 0;
      if (code !== LOCK_NOT_AVAILABLE) throw error;
    }
  }
  logger.warn({ partition: name }, "a month of the usage log is in use and could not be dropped; its rows are deleted");
  return 0;
}

const LOCK_NOT_AVAILABLE = "55P03";
const UNDEFINED_TABLE = "42P01";

function codeOf(error: unknown): unknown {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined;
}
