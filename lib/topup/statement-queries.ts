import type { z } from "zod";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { offsetOf, type Page } from "@/lib/page";
import { parseInput } from "@/lib/validation";
import { type StatementSearch, statementSearchSchema } from "./schemas";
import type { StatementLine, StatementSums } from "./types";

type Row = Omit<StatementLine, "id"> & { entry: number; total: number };

/**
 * Every balance change of the current user, newest first, with the balance after it: the ledger entries, and one line
 * per day (UTC) for what requests used. Only ledger and hourly sums ever change a balance, so the check in
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

function readMoves(ctx: ServiceContext, search: z.output<typeof statementSearchSchema>, { limit, offset }: Window) {
  const actor = requireRole(ctx, ROLE.user);
  const kind = search.kind ?? null;
  return ctx.sql<Row[]>`
    with moves as (
      select id as entry, created_at as at, created_at as sorted, amount, kind, reference, note, 0::bigint as count
        from ledger_entries where user_id = ${actor.id}
      union all
      select 0, (hour / 86400) * 86400, (hour / 86400) * 86400 + 86399, -sum(quota)::bigint, 'consumption', '', '',
          sum(count)::bigint
        from usage_hourly where user_id = ${actor.id} and (count > 0 or quota <> 0) group by hour / 86400),
    running as (
      select *, (sum(amount) over (order by sorted, entry = 0, entry))::bigint as balance from moves)
    select entry, at, amount, kind, reference, note, count, balance, count(*) over ()::bigint as total
      from running where (${kind}::text is null or kind = ${kind})
        and sorted >= ${search.from ?? 0} and at <= ${search.until ?? Number.MAX_SAFE_INTEGER}
      order by sorted desc, entry = 0 desc, entry desc limit ${limit} offset ${offset}`;
}

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
