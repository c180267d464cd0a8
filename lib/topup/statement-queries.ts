import type { z } from "zod";
import type { Sql } from "@/db/client";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { offsetOf, type Page } from "@/lib/page";
import { listBuckets } from "@/lib/statistics/bucket-queries";
import { isTimeZone } from "@/lib/statistics/schemas";
import { hoursOfUser, readSummed } from "@/lib/statistics/sums-queries";
import { HOUR_END, readEdges } from "@/lib/statistics/window-edges";
import { parseInput } from "@/lib/validation";
import { type StatementSearch, statementSearchSchema } from "./schemas";
import type { StatementLine, StatementSums } from "./types";

type Row = Omit<StatementLine, "id"> & { entry: number; total: number };

/**
 * Every balance change of the current user, newest first, with the balance after it: the ledger entries, and one line
 * per day of the reader's time zone for what requests used. Only ledger and hourly sums ever change a balance, so the check in
 * lib/billing/reconcile also proves the running balance.
 */
export async function listStatement(ctx: ServiceContext, input: StatementSearch = {}): Promise<Page<StatementLine>> {
  const search = parseInput(statementSearchSchema, input);
  const rows = await readMoves(ctx, search, { limit: search.pageSize, offset: offsetOf(search) });
  return { items: rows.map(toLine), total: rows[0]?.total ?? 0, page: search.page, pageSize: search.pageSize };
}

/** All lines without paging; a user has only as many as days and payments. */
export async function readWholeStatement(ctx: ServiceContext, input: StatementSearch = {}): Promise<StatementLine[]> {
  const rows = await readMoves(ctx, parseInput(statementSearchSchema, input), { limit: null, offset: 0 });
  return rows.map(toLine);
}

type Window = { limit: number | null; offset: number };

async function readMoves(
  ctx: ServiceContext,
  search: z.output<typeof statementSearchSchema>,
  { limit, offset }: Window,
) {
  const actor = requireRole(ctx, ROLE.user);
  const kind = search.kind ?? null;
  const [{ starts, cut }, summed] = await Promise.all([
    readDays(ctx.sql, actor.id, search.timeZone ?? "UTC"),
    readSummed(ctx.sql),
  ]);
  return ctx.sql<Row[]>`
    with used as (
      select hour + ${HOUR_END} as at, count, quota
      from (${hoursOfUser(ctx.sql, actor.id, 0, Number.MAX_SAFE_INTEGER, summed)}) hours
      ${cut ? ctx.sql`union all select hour, count, quota from ${cut}` : ctx.sql``}),
    days as (
      select width_bucket(at, ${starts}::bigint[]) as day, sum(quota)::bigint as quota, sum(count)::bigint as count
      from used group by 1 having sum(count) > 0 or sum(quota) <> 0),
    moves as (
      select id as entry, created_at as at, created_at as sorted, amount, kind, reference, note, 0::bigint as count
        from ledger_entries where user_id = ${actor.id}
      union all
      select 0, (${starts}::bigint[])[day], (${starts}::bigint[])[day + 1] - 1, -quota, 'consumption', '', '', count
        from days),
    running as (
      select *, (sum(amount) over (order by sorted, entry = 0, entry))::bigint as balance from moves)
    select entry, at, amount, kind, reference, note, count, balance, count(*) over ()::bigint as total
      from running where (${kind}::text is null or kind = ${kind})
        and sorted >= ${search.from ?? 0} and at <= ${search.until ?? Number.MAX_SAFE_INTEGER}
      order by sorted desc, entry = 0 desc, entry desc limit ${limit} offset ${offset}`;
}

/**
 * When the days begin in which an account has used anything, and the one after them; and the rows of hours that a day begins in,
 * which are moved to the day before.
 */
async function readDays(sql: Sql, owner: number, zone: string) {
  const timeZone = isTimeZone(zone) ? zone : "UTC";
  const [range] = await sql<{ first: number | null; last: number | null }[]>`
    select min(hour) as first, max(hour) as last from usage_hourly where user_id = ${owner}`;
  if (range?.first === null || range?.first === undefined || range.last === null) return { starts: [0, 1], cut: null };
  const [from, until] = [range.first, range.last + HOUR_END + 1];
  // The day after the last one begins within two days.
  const all = await listBuckets(sql, { from, until: until + 2 * DAY, granularity: "day", timeZone });
  const starts = all.slice(0, all.findIndex((start) => start >= until) + 1);
  const within = starts.filter((start) => start > from && start % HOUR !== 0).map((start) => start - (start % HOUR));
  if (within.length === 0) return { starts, cut: null };
  const busy = await sql<{ hour: number }[]>`
    select distinct hour from usage_hourly where user_id = ${owner} and hour = any(${within}::bigint[])`;
  const hours = new Set(busy.map(({ hour }) => hour));
  const moved = starts
    .map((start) => ({ from: start - (start % HOUR), until: start }))
    .filter((part) => part.until > part.from && hours.has(part.from));
  const { cut } = await readEdges(sql, { from, until, added: [], taken: [], moved }, owner, ["hour"]);
  return { starts, cut };
}

const HOUR = HOUR_END + 1;
const DAY = 24 * HOUR;

function toLine({ entry, total: _total, ...line }: Row): StatementLine {
  return { ...line, id: entry === 0 ? `day-${line.at}` : `entry-${entry}` };
}

/** What the current user has received and used so far, and the balance. */
export async function sumStatement(ctx: ServiceContext): Promise<StatementSums> {
  const actor = requireRole(ctx, ROLE.user);
  const [row] = await ctx.sql<StatementSums[]>`
    select coalesce((select sum(amount) from ledger_entries where user_id = ${actor.id}), 0)::bigint as received,
      used_quota as used, quota as balance
    from users where id = ${actor.id}`;
  return row ?? { received: 0, used: 0, balance: 0 };
}
