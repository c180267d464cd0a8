import type { Sql } from "@/db/client";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { LOGS_CLEARED } from "@/lib/log-store/cleared";

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
      waiting: number | null;
      newest: ArchiveStatus["newest"];
    }[]
  >`
    select place, failure, failing_since as since, checked_at as checked,
      (select position from job_positions where job = ${LOGS_CLEARED} and exists (
        select from usage_logs where created_at < job_positions.position and not hidden
          and not exists (
            select from log_restores where keep_until > floor(extract(epoch from now()))
              and created_at >= from_time and created_at < until_time))) as waiting,
      (select json_build_object('until', until_time, 'rows', rows, 'createdAt', created_at)
        from log_archives order by id desc limit 1) as newest
    from log_archive_status`;
  if (!row) return null;
  const { place, failure, since, checked, waiting, newest } = row;
  return {
    place,
    failure: failure === null ? null : { reason: failure, since: since ?? checked },
    checkedAt: checked,
    waitingBefore: waiting,
    newest,
  };
}
