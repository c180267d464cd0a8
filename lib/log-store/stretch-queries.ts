import { type ArchiveColumn, type ArchiveRow, LOG_ARCHIVE_COLUMNS } from "@/lib/archive/columns";
import type { RowSum } from "@/lib/archive/tally";
import { type LogServer, queryOn } from "./clickhouse/client";
import { DAY_SECONDS, STRETCH_SECONDS } from "./clickhouse/tables";

/** Seconds [start, end) of the log in one table of one server. */
export type Stretch = { server: LogServer; table: string; start: number; end: number };

/** Reading a day of a busy log takes longer than a list may. */
const LONG = { timeoutMs: 300_000 };
/** Rows of an answer, all of which are in memory at once. */
const PAGE_ROWS = 10_000;
/** An id has up to 53 bits, and the sum of many has more than 64. */
const HALF = 1_000_000;

/** The days (UTC) of which the table has rows, by their first second. */
export async function listStoredDays(server: LogServer, table: string): Promise<number[]> {
  const rows = await queryOn<{ partition: string }>(
    server,
    `select distinct partition from system.parts where active and database = currentDatabase() and table = '${table}'`,
  );
  return rows.map(({ partition }) => Number(partition) * DAY_SECONDS).sort((a, b) => a - b);
}

/** Whether there is any row. `isShown`: one that is not hidden. */
export async function hasStoredRows({ server, ...stretch }: Stretch, isShown: boolean): Promise<boolean> {
  const rows = await queryOn(server, `select 1 as one from ${within(stretch, isShown)} limit 1`, LONG);
  return rows.length > 0;
}

/** Where the first piece of the visible rows ends that has about `rowsMax` of them; null = there are none. */
export async function endOfPiece(stretch: Stretch, rowsMax: number): Promise<number | null> {
  const { server } = stretch;
  const [found] = await queryOn<{ oldest: string; count: string }>(
    server,
    `select min(created_at) as oldest, count() as count from ${within(stretch)}`,
    LONG,
  );
  if (Number(found?.count ?? 0) === 0) return null;
  if (Number(found?.count) <= rowsMax) return stretch.end;
  const [beyond] = await queryOn<{ at: string }>(
    server,
    `select created_at as at from ${within(stretch)} order by created_at limit ${rowsMax}, 1`,
    LONG,
  );
  // The rows of one second stay together.
  return beyond ? Math.max(Number(beyond.at), Number(found?.oldest) + 1) : stretch.end;
}

/** The visible rows, those that are there twice counted once. */
export async function sumStored(stretch: Stretch): Promise<RowSum> {
  const [row] = await queryOn<{ rows: string; high: string; low: string }>(
    stretch.server,
    `select count() as rows, sum(intDiv(id, ${HALF})) as high, sum(id % ${HALF}) as low
     from (select created_at, id from ${within(stretch)} group by created_at, id)`,
    LONG,
  );
  const idSum = BigInt(row?.high ?? 0) * BigInt(HALF) + BigInt(row?.low ?? 0);
  return { rows: Number(row?.rows ?? 0), idSum: String(idSum) };
}

/** The visible rows in the order of time and id, each once. At most some thousand are in memory at a time. */
export async function* readStored(
  stretch: Stretch,
  columns: readonly ArchiveColumn[] = LOG_ARCHIVE_COLUMNS,
): AsyncGenerator<ArchiveRow[]> {
  const names = columns.map(({ name }) => `\`${name}\``).join(", ");
  for await (const window of windowsOf(stretch)) {
    for (let beyond = ""; ; ) {
      const rows = await queryOn<ArchiveRow>(
        stretch.server,
        `select ${names} from ${within({ ...stretch, ...window })}${beyond}
         order by created_at, id limit 1 by created_at, id${window.isPaged ? ` limit ${PAGE_ROWS}` : ""}`,
        LONG,
      );
      if (rows.length > 0) yield rows.map((row) => toArchive(row, columns));
      if (!window.isPaged || rows.length < PAGE_ROWS) break;
      beyond = ` and id > ${Number(rows.at(-1)?.id)}`;
    }
  }
}

type Window = { start: number; end: number; isPaged: boolean };

/** Rows are sorted by user within an hour, so each window is read out of its whole hour: few windows with many rows. */
async function* windowsOf(stretch: Stretch): AsyncGenerator<Window> {
  const hours = await queryOn<{ hour: string }>(
    stretch.server,
    `select intDiv(created_at, ${STRETCH_SECONDS}) as hour from ${within(stretch)} group by hour order by hour`,
    LONG,
  );
  for (const { hour } of hours) {
    const start = Math.max(stretch.start, Number(hour) * STRETCH_SECONDS);
    const end = Math.min(stretch.end, (Number(hour) + 1) * STRETCH_SECONDS);
    const seconds = await queryOn<{ at: string; count: string }>(
      stretch.server,
      `select created_at as at, count() as count from ${within({ ...stretch, start, end })} group by at order by at`,
      LONG,
    );
    yield* windowsOfHour(
      seconds.map(({ at, count }) => ({ at: Number(at), count: Number(count) })),
      end,
    );
  }
}

function* windowsOfHour(seconds: readonly { at: number; count: number }[], end: number): Generator<Window> {
  let start: number | null = null;
  let held = 0;
  for (const { at, count } of seconds) {
    if (start !== null && held + count > PAGE_ROWS) {
      yield { start, end: at, isPaged: held > PAGE_ROWS };
      start = null;
      held = 0;
    }
    start ??= at;
    held += count;
  }
  if (start !== null) yield { start, end, isPaged: held > PAGE_ROWS };
}

function within({ table, start, end }: Omit<Stretch, "server">, isShown = true): string {
  return `${table} where created_at >= ${start} and created_at < ${end}${isShown ? " and hidden = 0" : ""}`;
}

/** 64-bit integers come as text, and are all below 2^53. */
function toArchive(row: ArchiveRow, columns: readonly ArchiveColumn[]): ArchiveRow {
  for (const { name, type } of columns) {
    const value = row[name] ?? null;
    if (type === "boolean") row[name] = Number(value) === 1;
    else if (value !== null && (type === "int32" || type === "int64")) row[name] = Number(value);
  }
  return row;
}
