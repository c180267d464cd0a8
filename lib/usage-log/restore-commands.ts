import type { Sql } from "@/db/client";
import { type ArchiveRow, charactersOf, LOG_ARCHIVE_COLUMNS } from "@/lib/archive/columns";
import { LOGS_CLEARED } from "@/lib/log-store/cleared";
import { beginPutBack } from "@/lib/log-store/restore-commands";
import { logStore } from "@/lib/log-store/store";
import type { LogRange } from "./log-ranges";

const BATCH = 500;
/** Rows with long texts go in smaller pieces. */
const BATCH_CHARACTERS = 8_388_608;
/** Each insert is a part of the table, which the server has to merge. */
const STORE_BATCH = 5_000;
const LOCK = "weir-restore-archive";

/** The part of a range that was cleared; null = nothing of it. What was not cleared is still in the log. */
export async function clearedPart(sql: Sql, range: LogRange): Promise<LogRange | null> {
  const [row] = await sql<{ until: number }[]>`select position as until from job_positions where job = ${LOGS_CLEARED}`;
  const end = Math.min(range.end, row?.until ?? 0);
  return end > range.start ? { start: range.start, end } : null;
}

type Restored = { rows: AsyncIterable<ArchiveRow>; keepUntil: number };

/** Another restore runs; nothing was changed. */
export class RestoreRuns extends Error {}

/**
 * Puts archived rows, in the order of time, back into the log: into the log store if there is one. They stay until `keepUntil`
 * (unix seconds). Only the log is written: no balance and no hourly sum, and the hours before the clearing are not compared by
 * the check of the books. Rows that are there already are left as they are. Resolves to how many were put back. `sql` needs a
 * second connection. Throws RestoreRuns, and LogStoreAway before anything is changed or in the middle: then it is to be
 * repeated.
 */
export async function restoreLogRows(sql: Sql, range: LogRange, { rows, keepUntil }: Restored): Promise<number> {
  const session = await sql.reserve();
  try {
    const [lock] = await session<
      { held: boolean }[]
    >`select pg_try_advisory_lock(hashtextextended(${LOCK}, 0)) as held`;
    if (!lock?.held) throw new RestoreRuns("Another restore is running.");
    try {
      return await putBackAll(sql, range, { rows, keepUntil });
    } finally {
      await session`select pg_advisory_unlock(hashtextextended(${LOCK}, 0))`;
    }
  } finally {
    session.release();
  }
}

async function putBackAll(sql: Sql, { start, end }: LogRange, { rows, keepUntil }: Restored): Promise<number> {
  const store = logStore();
  const putBack =
    store === null ? (held: readonly ArchiveRow[]) => insertRows(sql, held) : await beginPutBack(sql, store);
  // First, so that no turn of the worker deletes what is being put back.
  await sql`
    insert into log_restores (from_time, until_time, keep_until) values (${start}, ${end}, ${keepUntil})`;
  if (store === null) {
    await sql`select weir_ensure_log_partitions(${start}::bigint, ${end - 1}::bigint)`.catch(() => {
      // Without a partition they go to the default one, out of which a job moves them.
    });
  }
  const size = store === null ? BATCH : STORE_BATCH;
  let total = 0;
  let held: ArchiveRow[] = [];
  let characters = 0;
  for await (const row of rows) {
    held.push(row);
    characters += charactersOf(row);
    if (held.length < size && characters < BATCH_CHARACTERS) continue;
    total += await putBack(held);
    [held, characters] = [[], 0];
  }
  return total + (await putBack(held));
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
