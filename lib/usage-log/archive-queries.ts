import type { Sql } from "@/db/client";
import { type ArchiveRow, LOG_ARCHIVE_COLUMNS } from "@/lib/archive/columns";
import type { RowSum } from "@/lib/archive/tally";
import { nowSeconds } from "@/lib/clock";
import { gapsIn, type LogRange } from "./log-ranges";

/** A stretch of the log that becomes one archive, with what its visible rows come to. */
export type LogPiece = LogRange & RowSum;

const DAY = 86_400;
const BATCH = 2_000;

/**
 * The first piece of a range that has visible rows; null = none has. A piece is of one day (UTC), so never of two
 * partitions, and has at most about `rowsMax` rows: they are deleted in one transaction.
 */
export async function nextLogPiece(sql: Sql, range: LogRange, rowsMax: number): Promise<LogPiece | null> {
  const [first] = await sql<{ at: number }[]>`
    select created_at as at from usage_logs
    where created_at >= ${range.start} and created_at < ${range.end} and not hidden order by created_at limit 1`;
  if (!first) return null;
  const day = first.at - (first.at % DAY);
  const end = Math.min(range.end, day + DAY);
  const [beyond] = await sql<{ at: number }[]>`
    select created_at as at from usage_logs
    where created_at >= ${first.at} and created_at < ${end} and not hidden order by created_at offset ${rowsMax} limit 1`;
  // The rows of one second stay together.
  const piece = { start: Math.max(range.start, day), end: beyond ? Math.max(beyond.at, first.at + 1) : end };
  return { ...piece, ...(await sumLogRows(sql, piece)) };
}

/** The visible rows of a range. */
async function sumLogRows(sql: Sql, { start, end }: LogRange): Promise<RowSum> {
  const [row] = await sql<RowSum[]>`
    select count(*) as rows, coalesce(sum(id), 0)::text as "idSum" from usage_logs
    where created_at >= ${start} and created_at < ${end} and not hidden`;
  return row ?? { rows: 0, idSum: "0" };
}

/** The visible rows of a range in the order of time and id. In short statements, so that vacuum never waits. */
export async function* readLogRows(sql: Sql, { start, end }: LogRange): AsyncGenerator<ArchiveRow[]> {
  const columns = LOG_ARCHIVE_COLUMNS.map(({ name, type }) => (type === "json" ? `"${name}"::text` : `"${name}"`));
  for (let last = { at: start, id: -1 }; ; ) {
    // The row comparison alone would read every partition.
    const rows = await sql<ArchiveRow[]>`
      select ${sql.unsafe(columns.join(", "))} from usage_logs
      where created_at >= ${last.at} and created_at < ${end} and (created_at, id) > (${last.at}::bigint, ${last.id}::bigint)
        and not hidden
      order by created_at, id limit ${BATCH}`;
    if (rows.length > 0) yield rows;
    const newest = rows.at(-1);
    if (!newest || rows.length < BATCH) return;
    last = { at: Number(newest.created_at), id: Number(newest.id) };
  }
}

/** The newest migration of the database, by its time. */
export async function readSchemaVersion(sql: Sql): Promise<string> {
  const [row] = await sql<{ newest: string | null }[]>`
    select max(created_at)::text as newest from drizzle.__drizzle_migrations`;
  return row?.newest ?? "";
}

/**
 * The archives that were written of a range: their names, and the checksums of their manifests. `place`: only those that are
 * there.
 */
export async function listNotedArchives(
  sql: Sql,
  { start, end }: LogRange,
  place: string | null = null,
): Promise<Map<string, string>> {
  const rows = await sql<{ name: string; sha256: string }[]>`
    select name, sha256 from log_archives
    where from_time < ${end} and until_time > ${start} and (${place}::text is null or place = ${place}) order by name`;
  return new Map(rows.map(({ name, sha256 }) => [name, sha256]));
}

/** The parts of a range that may be cleared: not those whose rows were restored to be looked at, until their time is over. */
export async function clearableRanges(sql: Sql, range: LogRange): Promise<LogRange[]> {
  const kept = await sql<LogRange[]>`
    select from_time as start, until_time as end from log_restores
    where keep_until > ${nowSeconds()} and from_time < ${range.end} and until_time > ${range.start}`;
  return gapsIn(range, kept);
}
