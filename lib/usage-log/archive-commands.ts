import { LOCK_WAIT_MS, tryWhileLocked } from "@/db/brief-locks";
import type { Sql } from "@/db/client";
import { SQL_STATE, sqlStateOf } from "@/db/sql-state";
import type { Manifest } from "@/lib/archive/manifest";
import { isSameSum, type RowSum } from "@/lib/archive/tally";
import { nowSeconds } from "@/lib/clock";
import type { LogPiece } from "./archive-queries";
import type { LogRange } from "./log-ranges";

const HIDDEN_BATCH = 5_000;

/** The rows are not those that were archived; nothing was changed. */
class RowsChanged extends Error {}

/**
 * The archives of a piece with the same rows, newest first. One may begin later than the piece: it was cut when rows before it
 * were still there.
 */
export async function listSameArchives(
  sql: Sql,
  place: string,
  { start, end, rows, idSum }: LogPiece,
): Promise<{ name: string; sha256: string }[]> {
  return sql`
    select name, sha256 from log_archives
    where place = ${place} and from_time >= ${start} and until_time <= ${end} and rows = ${rows} and id_sum = ${idSum}
    order by id desc`;
}

export async function noteArchive(sql: Sql, place: string, manifest: Manifest, sha256: string): Promise<void> {
  const { name, from, until, rows, idSum, bytes } = manifest;
  await sql`
    insert into log_archives (name, place, from_time, until_time, rows, id_sum, bytes, sha256)
    values (${name}, ${place}, ${from}, ${until}, ${rows}, ${idSum}, ${bytes}, ${sha256})`;
}

/** Deletes the rows of an archived piece. False = they are not those of the archive, so that nothing was deleted. */
export function removePiece(sql: Sql, piece: LogPiece): Promise<boolean> {
  return exactly(sql, piece, async (tx) => {
    const [gone] = await tx<RowSum[]>`
      with gone as (
        delete from usage_logs where created_at >= ${piece.start} and created_at < ${piece.end} returning id, hidden)
      select count(*) filter (where not hidden) as rows, coalesce(sum(id) filter (where not hidden), 0)::text as "idSum"
      from gone`;
    return gone;
  });
}

/** Empties and hides the rows of an archived piece whose request ids are still needed. False = as for removePiece. */
export function hidePiece(sql: Sql, piece: LogPiece): Promise<boolean> {
  return exactly(sql, piece, async (tx) => {
    const [emptied] = await tx<RowSum[]>`
      with emptied as (
        update usage_logs set hidden = true, content = '', client_ip = '', other = '{}'::jsonb
        where created_at >= ${piece.start} and created_at < ${piece.end} and not hidden returning id)
      select count(*) as rows, coalesce(sum(id), 0)::text as "idSum" from emptied`;
    return emptied;
  });
}

async function exactly(sql: Sql, piece: LogPiece, change: (tx: Sql) => Promise<RowSum | undefined>): Promise<boolean> {
  try {
    await sql.begin(async (tx) => {
      const changed = await change(tx as unknown as Sql);
      if (!changed || !isSameSum(changed, piece)) throw new RowsChanged("a row came late");
      await noteRemoved(tx as unknown as Sql, piece);
    });
    return true;
  } catch (error) {
    if (error instanceof RowsChanged) return false;
    throw error;
  }
}

async function noteRemoved(tx: Sql, { start, end }: LogRange): Promise<void> {
  await tx`
    update log_archives set removed_at = ${nowSeconds()}
    where from_time >= ${start} and until_time <= ${end} and removed_at is null`;
}

/** The same for archives by their names. */
export async function noteRemovedArchives(sql: Sql, names: readonly string[]): Promise<void> {
  await sql`
    update log_archives set removed_at = ${nowSeconds()} where name = any(${[...names]}) and removed_at is null`;
}

/** Deletes hidden rows, of which nothing is archived, in batches. */
export async function removeHidden(sql: Sql, { start, end }: LogRange): Promise<number> {
  for (let total = 0; ; ) {
    const gone = await sql`
      delete from usage_logs using (
        select created_at, id from usage_logs
        where created_at >= ${start} and created_at < ${end} and hidden order by created_at limit ${HIDDEN_BATCH}) as old
      where usage_logs.created_at = old.created_at and usage_logs.id = old.id`;
    total += gone.count;
    if (gone.count < HIDDEN_BATCH) return total;
  }
}

export type LogMonth = LogRange & { name: string };

/** The partitions that lie in a range as a whole; the default one has no bounds. */
export async function listLogMonths(sql: Sql, { start, end }: LogRange): Promise<LogMonth[]> {
  return sql<LogMonth[]>`
    select child.relname as name, bounds[1]::bigint as start, bounds[2]::bigint as end
    from pg_inherits
    join pg_class child on child.oid = inhrelid
    cross join lateral regexp_match(
      pg_get_expr(child.relpartbound, child.oid), 'FROM \\(''?(\\d+)''?\\) TO \\(''?(\\d+)''?\\)') as bounds
    where inhparent = 'usage_logs'::regclass and bounds is not null
      and bounds[1]::bigint >= ${start} and bounds[2]::bigint <= ${end}
    order by 2`;
}

/**
 * Drops a month whose rows are archived as a whole; their sum is `archived`. While they are counted once more nobody can
 * add one: only a settlement into that very month would wait. False = it has other rows, or its lock cannot be obtained.
 */
export async function dropArchivedMonth(sql: Sql, month: LogMonth, archived: RowSum): Promise<boolean> {
  const drop = () =>
    sql.begin(async (tx) => {
      await tx`select set_config('lock_timeout', ${`${LOCK_WAIT_MS}ms`}, true)`;
      await tx`lock table ${tx(month.name)} in share mode`;
      const [found] = await tx<RowSum[]>`
        select count(*) as rows, coalesce(sum(id), 0)::text as "idSum" from ${tx(month.name)} where not hidden`;
      if (!found || !isSameSum(found, archived)) throw new RowsChanged("a row came late");
      await tx`drop table ${tx(month.name)}`;
      await noteRemoved(tx as unknown as Sql, month);
      return true;
    });
  try {
    return (await tryWhileLocked(drop)) ?? false;
  } catch (error) {
    // Another process has dropped it.
    if (error instanceof RowsChanged || sqlStateOf(error) === SQL_STATE.undefinedTable) return false;
    // Dropping needs a stronger lock than counting, and two who do both may wait for each other.
    if (sqlStateOf(error) === SQL_STATE.deadlock) return false;
    throw error;
  }
}
