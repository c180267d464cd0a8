import { databaseOf, type Sql } from "@/db/client";
import { BUDGET_PERIODS, type BudgetPeriod, budgetPeriods } from "@/lib/limit/budget-periods";
import { chargedBefore } from "@/lib/limit/charged-before-queries";
import { loadOptions } from "@/lib/option/queries";
import { TOKEN_STATUS, USER_STATUS } from "@/lib/row-status";
import { notify } from "./notify-commands";
import { budgetSteps } from "./queries";

const HOUR = 3_600;

type Spent = {
  userId: number;
  /** 0 = the account's own budget. */
  tokenId: number;
  tokenName: string;
  period: BudgetPeriod;
  start: number;
  budget: number;
  /** By whole hours where the period is `unbegun`: without a baseline yet. */
  spent: number;
  unbegun: boolean;
  steps: unknown;
};

/**
 * Warns the owners of budgets, of accounts and of keys, of which a step is spent (budgetSteps): once for each step in
 * each period, of several steps reached at once only the highest. Only accounts with consumption in this hour or the
 * previous one are looked at. Returns how many were warned.
 */
export async function warnOfBudgets(sql: Sql, now: number): Promise<number> {
  const times = budgetPeriods(now, (await loadOptions(databaseOf(sql))).BudgetTimeZone);
  let warned = 0;
  for (const row of await readSpent(sql, now, times)) {
    const spent = Number(row.spent) - (row.unbegun ? await chargedBefore(sql, row, row.start) : 0);
    const percent = Math.floor((spent / Number(row.budget)) * 100);
    const step = budgetSteps(row.steps).findLast((known) => percent >= known);
    if (step === undefined) continue;
    const owner = row.tokenId === 0 ? `account:${row.userId}` : `key:${row.tokenId}`;
    const isNew = await notify(sql, {
      userId: row.userId,
      event: "budget_reached",
      params: {
        subject: row.tokenId === 0 ? "account:" : `key:${row.tokenName}`,
        period: row.period,
        percent,
        spent,
        limit: Number(row.budget),
        resetsAt: times[row.period].end,
      },
      dedupeKey: `budget:${owner}:${row.period}:${row.start}:${step}`,
    });
    if (isNew) warned += 1;
  }
  return warned;
}

/** Budgets of which something is spent. Before the first request of a period was admitted there is no baseline. */
function readSpent(sql: Sql, now: number, times: ReturnType<typeof budgetPeriods>): Promise<Spent[]> {
  const since = (Math.floor(now / HOUR) - 1) * HOUR;
  const starts = BUDGET_PERIODS.map((period) => times[period].start);
  return sql<Spent[]>`
    with starts as (
      select * from unnest(${[...BUDGET_PERIODS]}::text[], ${starts}::bigint[]) as starts (period, start)),
    active as (select distinct user_id, token_id from usage_hourly where hour >= ${since} and count > 0),
    states as (
      select u.id as user_id, 0 as token_id, '' as token_name, starts.period, starts.start,
        case starts.period when 'day' then u.budget_day when 'week' then u.budget_week else u.budget_month end as budget,
        coalesce(u.used_quota - b.baseline, (
          select coalesce(sum(h.quota), 0) from usage_hourly h where h.user_id = u.id and h.hour >= starts.start - starts.start % 3600)) as spent, b.baseline is null as unbegun
      from users u cross join starts
      left join budget_periods b
        on b.user_id = u.id and b.owner = 'user' and b.owner_id = u.id and b.period = starts.period and b.start >= starts.start
      where u.id in (select user_id from active) and u.budget_day + u.budget_week + u.budget_month > 0
      union all
      select t.user_id, t.id, t.name, starts.period, starts.start,
        case starts.period when 'day' then t.budget_day when 'week' then t.budget_week else t.budget_month end,
        coalesce(t.used_quota - b.baseline, (
          select coalesce(sum(h.quota), 0) from usage_hourly h
          where h.user_id = t.user_id and h.token_id = t.id and h.hour >= starts.start - starts.start % 3600)), b.baseline is null
      from tokens t cross join starts
      left join budget_periods b
        on b.user_id = t.user_id and b.owner = 'token' and b.owner_id = t.id and b.period = starts.period and b.start >= starts.start
      where t.id in (select token_id from active) and t.budget_day + t.budget_week + t.budget_month > 0
        and t.deleted_at is null and t.status = ${TOKEN_STATUS.enabled})
    select states.user_id as "userId", token_id as "tokenId", token_name as "tokenName", period, start, budget, spent, unbegun,
      u.setting -> 'budget_warnings' as steps
    from states join users u on u.id = states.user_id
    where budget > 0 and spent > 0 and u.status = ${USER_STATUS.enabled} and u.deleted_at is null
    order by states.user_id, token_id, period`;
}
