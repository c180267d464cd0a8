import { databaseOf, type Sql } from "@/db/client";
import { type ArchiveFormat, describePlace, parseArchiveUrl } from "@/lib/archive/config";
import { openStorage } from "@/lib/archive/open-storage";
import { ArchiveError } from "@/lib/archive/storage";
import { countArchiveFailure } from "@/lib/archive/totals";
import { LOGS_CLEARED } from "@/lib/log-store/cleared";
import { logStore } from "@/lib/log-store/store";
import { notifyRoots } from "@/lib/notify/notify-commands";
import { loadOptions } from "@/lib/option/queries";
import { clearableRanges } from "./archive-queries";
import { type ClearReport, hideArchived, type LogArchiving, removeArchived } from "./clear-archived-commands";
import { removeStoredArchived } from "./clear-stored-commands";
import { deleteClearedLogs, KNOWN_SECONDS } from "./commands";

const DAY = 86_400;
const REASON_MAX = 500;

export type ClearSettings = {
  /** WEIR_ARCHIVE_URL; null = rows are deleted without being archived. */
  url: string | null;
  format: ArchiveFormat;
  /** Days after which rows go; 0 = never. */
  retentionDays: number;
  now: number;
  stopping?: AbortSignal | undefined;
  pieceRows?: number;
};

/** LogRetentionDays. */
export async function readRetentionDays(sql: Sql): Promise<number> {
  return (await loadOptions(databaseOf(sql))).LogRetentionDays;
}

/**
 * Deletes the rows of the log that were cleared by hand or are older than the retention, with archives: only what was
 * archived and read back. Returns what it did. Throws when archiving failed; the reason is kept for the console then, and
 * super administrators are told.
 */
export async function clearOldLogs(sql: Sql, settings: ClearSettings): Promise<string> {
  const { url, now, retentionDays } = settings;
  // Whole days (UTC), so that archives are of whole days.
  if (retentionDays > 0) await raiseCleared(sql, Math.floor((now - retentionDays * DAY) / DAY) * DAY);
  await sql`delete from log_restores where keep_until <= ${now}`;
  if (url === null) {
    await sql`delete from log_archive_status`;
    return `${await deleteClearedLogs(sql)} rows`;
  }
  try {
    const { archives, rows } = await clearWithArchives(sql, url, settings);
    await noteSuccess(sql, now);
    return `${archives} archives, ${rows} rows`;
  } catch (error) {
    countArchiveFailure();
    await noteFailure(sql, error, now);
    throw error;
  }
}

async function raiseCleared(sql: Sql, until: number): Promise<void> {
  await sql`select weir_note_cleared(${until}::bigint, 'retention')`;
}

async function clearWithArchives(sql: Sql, url: string, settings: ClearSettings): Promise<ClearReport> {
  const { format, now, stopping, pieceRows } = settings;
  // Before the address is read: while it is wrong nothing may be deleted either.
  await sql`
    insert into log_archive_status (place, checked_at) values ('', ${now})
    on conflict (id) do nothing`;
  const parsed = parseArchiveUrl(url);
  const place = describePlace(parsed);
  const storage = await openStorage(parsed);
  try {
    await storage.prepare(await wasUsed(sql, place));
    // Only now: a folder that could not be prepared counts as one that was never used.
    await sql`update log_archive_status set place = ${place} where place <> ${place}`;
    const archiving: LogArchiving = { sql, storage, place, format, stopping, ...(pieceRows ? { pieceRows } : {}) };
    return await clearBoth(archiving, now);
  } finally {
    storage.close();
  }
}

/** Whether archives were or could have been written there. */
async function wasUsed(sql: Sql, place: string): Promise<boolean> {
  const rows = await sql`
    select 1 from log_archive_status where place = ${place}
    union all (select 1 from log_archives where place = ${place} limit 1)`;
  return rows.length > 0;
}

/** Of PostgreSQL and of the log store. */
async function clearBoth(archiving: LogArchiving, now: number): Promise<ClearReport> {
  const { sql } = archiving;
  const report: ClearReport = { archives: 0, rows: 0 };
  const [cleared] = await sql<
    { until: number }[]
  >`select position as until from job_positions where job = ${LOGS_CLEARED}`;
  if (!cleared) return report;
  const known = Math.min(cleared.until, now - KNOWN_SECONDS);
  const [old, young] = [
    await clearableRanges(sql, { start: 0, end: known }),
    await clearableRanges(sql, { start: known, end: cleared.until }),
  ];
  for (const range of old) add(report, await removeArchived(archiving, range));
  for (const range of young) add(report, await hideArchived(archiving, range));
  const store = logStore();
  if (store !== null) {
    add(report, await removeStoredArchived(archiving, store, old));
    if (young.length > 0) add(report, await removeStoredArchived(archiving, store, young, "hide"));
  }
  return report;
}

function add(report: ClearReport, { archives, rows }: ClearReport): void {
  report.archives += archives;
  report.rows += rows;
}

async function noteSuccess(sql: Sql, now: number): Promise<void> {
  await sql`update log_archive_status set failure = null, failing_since = null, checked_at = ${now}`;
}

async function noteFailure(sql: Sql, error: unknown, now: number): Promise<void> {
  const reason =
    error instanceof ArchiveError ? error.message.slice(0, REASON_MAX) : "internal error; see the worker's log";
  await sql`
    update log_archive_status
    set failure = ${reason}, failing_since = coalesce(failing_since, ${now}), checked_at = ${now}`;
  await notifyRoots(sql, {
    event: "archive_failed",
    params: { reason },
    dedupeKey: `archive:${Math.floor(now / DAY)}`,
  });
}
