import { LOCK_WAIT_MS } from "@/db/brief-locks";
import type { Sql } from "@/db/client";
import { SQL_STATE, sqlStateOf } from "@/db/sql-state";
import type { LogRange } from "./log-ranges";

const BATCH = 5_000;
const TRIES = 3;
const STAGING = "usage_logs_moving_";

class RowsChanged extends Error {}

/**
 * Moves the default partition's rows of a time that is over into a partition of their own; returns how many, or null
 * when they were in use or changed the whole time. The rows are copied in small batches first. Then one transaction
 * exchanges original and copy, so that at every moment each row is there exactly once: a charge that is sent again must
 * find its row. Settlements of other times do not wait.
 */
export async function moveDefaultRows(sql: Sql, range: LogRange, name: string): Promise<number | null> {
  const [some] = await sql`
    select 1 from usage_logs_default where created_at >= ${range.start} and created_at < ${range.end} limit 1`;
  if (!some) return 0;
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const staging = `${STAGING}${range.start}`;
    try {
      await dropStagingTables(sql);
      await sql`select weir_make_log_table(${staging}, ${range.start}, ${range.end})`;
      await copy(sql, range, staging);
      return await exchange(sql, range, staging, name);
    } catch (error) {
      if (!isTransient(error)) throw error;
    }
  }
  await dropStagingTables(sql);
  return null;
}

/** Copies that a crash has left. The originals are still there. */
export async function dropStagingTables(sql: Sql): Promise<void> {
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class
    where starts_with(relname, ${STAGING}) and relkind = 'r' and not relispartition
      and relnamespace = (select relnamespace from pg_class where oid = 'usage_logs'::regclass)`;
  for (const { name } of tables) await sql`drop table if exists ${sql(name)}`;
}

async function copy(sql: Sql, { start, end }: LogRange, staging: string): Promise<void> {
  for (let last: { at: number; id: number } = { at: start, id: -1 }; ; ) {
    // Read through usage_logs, whose columns have the copy's order.
    const rows = await sql<{ at: number; id: number }[]>`
      with copied as (
        insert into ${sql(staging)} select * from usage_logs
        where created_at >= ${last.at} and created_at < ${end} and (created_at, id) > (${last.at}, ${last.id})
        order by created_at, id limit ${BATCH} returning created_at, id)
      select created_at as at, id from copied order by created_at desc, id desc limit 1`;
    const [newest] = rows;
    if (!newest) return;
    last = { at: Number(newest.at), id: Number(newest.id) };
  }
}

/** Throws RowsChanged, or an error of the database, when the originals are no longer what was copied. */
function exchange(sql: Sql, { start, end }: LogRange, staging: string, name: string): Promise<number> {
  return sql.begin("isolation level repeatable read", async (tx) => {
    await tx`select set_config('lock_timeout', ${`${LOCK_WAIT_MS}ms`}, true)`;
    const [same] = await tx<{ same: boolean }[]>`
      select (select (count(*), sum(hashtextextended(log::text, 0))) from usage_logs log
          where created_at >= ${start} and created_at < ${end})
        = (select (count(*), sum(hashtextextended(log::text, 0))) from ${tx(staging)} log) as same`;
    if (!same?.same) throw new RowsChanged("the rows have changed since they were copied");
    const gone = await tx`delete from usage_logs_default where created_at >= ${start} and created_at < ${end}`;
    await tx`alter table ${tx(staging)} rename to ${tx(name)}`;
    await tx`select weir_attach_log_table(${name}, ${start}, ${end})`;
    return gone.count;
  });
}

/** Rows were changed or added meanwhile, or somebody held a lock. */
function isTransient(error: unknown): boolean {
  const states: unknown[] = [SQL_STATE.lockNotAvailable, SQL_STATE.serializationFailure, SQL_STATE.checkViolation];
  return error instanceof RowsChanged || states.includes(sqlStateOf(error));
}
