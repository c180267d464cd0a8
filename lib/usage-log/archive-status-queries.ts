import type { Sql } from "@/db/client";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { LOGS_CLEARED } from "@/lib/log-store/cleared";
import { LogStoreAway } from "@/lib/log-store/clickhouse/client";
import { LOG_TABLE } from "@/lib/log-store/clickhouse/tables";
import { logStore } from "@/lib/log-store/store";
import { clearableRanges } from "./archive-queries";

/** A page waits for it. */
const STORE_MS = 2_000;

/** What the console says of archives. */
export type ArchiveStatus = {
  /** Without options and credentials. */
  place: string;
  /** Why the last turn failed, and since when; null = it did not. */
  failure: { reason: string; since: number } | null;
  checkedAt: number;
  /** Rows before this time (unix seconds) still wait for their archive; null = none. */
  waitingBefore: number | null;
  newest: { until: number; rows: number; createdAt: number } | null;
};

/** Whether the worker archives rows before they are deleted. It says so in the database, so that no process needs to know where. */
export async function isArchiving(sql: Sql): Promise<boolean> {
  const [row] = await sql`select 1 from log_archive_status`;
  return row !== undefined;
}

/** How archiving goes (administrators); null = rows are deleted without. */
export async function readArchiveStatus(ctx: ServiceContext): Promise<ArchiveStatus | null> {
  requireRole(ctx, ROLE.admin);
  const [row] = await ctx.sql<
    {
      place: string;
      failure: string | null;
      since: number | null;
      checked: number;
      cleared: number | null;
      waiting: number | null;
      newest: ArchiveStatus["newest"];
    }[]
  >`
    select place, failure, failing_since as since, checked_at as checked,
      (select position from job_positions where job = ${LOGS_CLEARED}) as cleared,
      (select position from job_positions where job = ${LOGS_CLEARED} and exists (
        select from usage_logs where created_at < job_positions.position and not hidden
          and not exists (
            select from log_restores where keep_until > floor(extract(epoch from now()))
              and created_at >= from_time and created_at < until_time))) as waiting,
      (select json_build_object('until', until_time, 'rows', rows, 'createdAt', created_at)
        from log_archives order by id desc limit 1) as newest
    from log_archive_status`;
  if (!row) return null;
  const { place, failure, since, checked, cleared, waiting, newest } = row;
  return {
    place,
    failure: failure === null ? null : { reason: failure, since: since ?? checked },
    checkedAt: checked,
    waitingBefore: waiting ?? (cleared !== null && (await isWaitingInStore(ctx.sql, cleared)) ? cleared : null),
    newest,
  };
}

/** Whether the log store has rows that wait for their archive. While it is away nobody knows; `failure` says so then. */
async function isWaitingInStore(sql: Sql, cleared: number): Promise<boolean> {
  const store = logStore();
  if (store === null) return false;
  const ranges = await clearableRanges(sql, { start: 0, end: cleared });
  if (ranges.length === 0) return false;
  const within = ranges.map(({ start, end }) => `(created_at >= ${start} and created_at < ${end})`).join(" or ");
  try {
    const statement = `select 1 as one from ${LOG_TABLE} where hidden = 0 and (${within}) limit 1`;
    return (await store.query(statement, { timeoutMs: STORE_MS })).length > 0;
  } catch (error) {
    if (error instanceof LogStoreAway) return false;
    throw error;
  }
}
