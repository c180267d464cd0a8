import type { Sql } from "@/db/client";
import { type ArchiveRow, LOG_ARCHIVE_COLUMNS } from "@/lib/archive/columns";
import { LOGS_CLEARED } from "@/lib/log-store/cleared";
import type { LogRange } from "./log-ranges";

const BATCH = 500;

/** The part of a range that was cleared; null = nothing of it. What was not cleared is still in the log. */
export async function clearedPart(sql: Sql, range: LogRange): Promise<LogRange | null> {
  const [row] = await sql<{ until: number }[]>`select position as until from job_positions where job = ${LOGS_CLEARED}`;
  const end = Math.min(range.end, row?.until ?? 0);
  return end > range.start ? { start: range.start, end } : null;
}

/**
 * Puts archived rows back into the log, where they stay until `keepUntil` (unix seconds). Only the log is written: no
 * balance and no hourly sum, and the hours before the clearing are not compared by the check of the books. Rows that are
 * there already are left as they are. Resolves to how many were put back.
 */
export async function restoreLogRows(
  sql: Sql,
  { start, end }: LogRange,
  rows: AsyncIterable<ArchiveRow>,
  keepUntil: number,
): Promise<number> {
  // First, so that no turn of the worker deletes what is being put back.
  await sql`
    insert into log_restores (from_time, until_time, keep_until) values (${start}, ${end}, ${keepUntil})`;
  await sql`select weir_ensure_log_partitions(${start}::bigint, ${end - 1}::bigint)`.catch(() => {
    // Without a partition they go to the default one, out of which a job moves them.
  });
  let total = 0;
  let held: ArchiveRow[] = [];
  for await (const row of rows) {
    held.push(row);
    if (held.length < BATCH) continue;
    total += await insertRows(sql, held);
    held = [];
  }
  return total + (await insertRows(sql, held));
}

async function insertRows(sql: Sql, rows: readonly ArchiveRow[]): Promise<number> {
  const [first] = rows;
  if (!first) return 0;
  // An archive may be older than a column, which then has its default.
  const columns = LOG_ARCHIVE_COLUMNS.filter(({ name }) => name in first).map(({ name }) => `"${name}"`);
  const json = rows.map((row) => JSON.stringify({ ...row, other: JSON.parse(String(row.other ?? "{}")) })).join(",");
  const names = sql.unsafe(columns.join(", "));
  const added = await sql`
    insert into usage_logs (${names})
    select ${names} from json_populate_recordset(null::usage_logs, ${`[${json}]`}::text::json)
    on conflict do nothing`;
  return added.count;
}
