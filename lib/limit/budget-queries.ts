import { sql } from "drizzle-orm";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { loadOptions } from "@/lib/option/queries";
import { BUDGET_PERIODS, type BudgetPeriod, budgetPeriods } from "./budget-periods";
import { type BudgetOf, chargedBefore } from "./charged-before-queries";

/** A budget and what is left of it, in quota. `left` is negative where more was spent. */
export type BudgetState = { period: BudgetPeriod; limit: number; left: number; resetsAt: number };

/** `unbegun`: there is no baseline yet, and `spent` is by whole hours. */
type SpentRow = BudgetOf & { id: number; period: BudgetPeriod; budget: number; spent: number; unbegun: boolean };

/** The budgets of the current user's tokens among `ids`; a token without budgets has no entry. */
export async function readTokenBudgets(
  ctx: ServiceContext,
  ids: readonly number[],
  now = nowSeconds(),
): Promise<Record<number, BudgetState[]>> {
  const actor = requireRole(ctx, ROLE.user);
  if (ids.length === 0) return {};
  return readBudgets(ctx, now, (periods) =>
    ctx.db.execute<SpentRow>(sql`
      select t.id, span.period, span.budget, coalesce(t.used_quota - b.baseline, (
          select coalesce(sum(quota), 0) from usage_hourly
          where user_id = t.user_id and token_id = t.id and hour >= starts.start - starts.start % 3600))::bigint as spent,
        t.user_id as "userId", t.id as "tokenId", b.baseline is null as unbegun
      from tokens t
      cross join lateral (values ('day', t.budget_day), ('week', t.budget_week), ('month', t.budget_month))
        as span (period, budget)
      join (values ${periods}) as starts (period, start) on starts.period = span.period
      left join budget_periods b
        on b.user_id = t.user_id and b.owner = 'token' and b.owner_id = t.id and b.period = span.period and b.start >= starts.start
      where t.id = any(${sql.param([...ids])}::int[]) and t.user_id = ${actor.id} and span.budget > 0`),
  );
}

/** The budgets of the current user's account. */
export async function readOwnBudgets(ctx: ServiceContext, now = nowSeconds()): Promise<BudgetState[]> {
  return readAccountBudgets(ctx, requireRole(ctx, ROLE.user).id, now);
}

/** The budgets of any account, for administrators. Whether they may see the account is for the caller to check. */
export async function readUserBudgets(ctx: ServiceContext, id: number, now = nowSeconds()): Promise<BudgetState[]> {
  requireRole(ctx, ROLE.admin);
  return readAccountBudgets(ctx, id, now);
}

async function readAccountBudgets(ctx: ServiceContext, id: number, now: number): Promise<BudgetState[]> {
  const all = await readBudgets(ctx, now, (periods) =>
    ctx.db.execute<SpentRow>(sql`
      select u.id, span.period, span.budget, coalesce(u.used_quota - b.baseline, (
          select coalesce(sum(quota), 0) from usage_hourly
          where user_id = u.id and hour >= starts.start - starts.start % 3600))::bigint as spent,
        u.id as "userId", 0 as "tokenId", b.baseline is null as unbegun
      from users u
      cross join lateral (values ('day', u.budget_day), ('week', u.budget_week), ('month', u.budget_month))
        as span (period, budget)
      join (values ${periods}) as starts (period, start) on starts.period = span.period
      left join budget_periods b
        on b.user_id = u.id and b.owner = 'user' and b.owner_id = u.id and b.period = span.period and b.start >= starts.start
      where u.id = ${id} and span.budget > 0`),
  );
  return all[id] ?? [];
}

/** `periods`: rows of a period and its start. */
async function readBudgets(
  ctx: ServiceContext,
  now: number,
  read: (periods: ReturnType<typeof sql>) => Promise<Iterable<SpentRow>>,
): Promise<Record<number, BudgetState[]>> {
  const times = budgetPeriods(now, (await loadOptions(ctx.db)).BudgetTimeZone);
  const starts = BUDGET_PERIODS.map((period) => sql`(${period}::text, ${times[period].start}::bigint)`);
  const found: Record<number, BudgetState[]> = {};
  for (const row of await read(sql.join(starts, sql`, `))) {
    const { id, period, budget } = row;
    const states = found[id] ?? [];
    const before = row.unbegun ? await chargedBefore(ctx.sql, row, times[period].start) : 0;
    const left = Number(budget) - Number(row.spent) + before;
    states.push({ period, limit: Number(budget), left, resetsAt: times[period].end });
    found[id] = states;
  }
  return found;
}
