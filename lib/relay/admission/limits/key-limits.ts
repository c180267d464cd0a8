import type { Sql } from "@/db/client";
import { BUDGET_PERIODS, type BudgetPeriod, type PeriodTimes } from "@/lib/limit/budget-periods";
import type { OptionValues } from "@/lib/option/registry";
import type { Caller } from "../authenticate";
import { type BudgetOwner, takeBudget } from "./budget-commands";
import type { RateLimiter, Standing } from "./rate-limiter";
import { budgetOwners } from "./request-budget";
import { type Rule, requestRules, tokenRules } from "./rules";

type BudgetLeft = {
  owner: BudgetOwner["owner"];
  period: BudgetPeriod;
  limit: number;
  /** Negative where more was spent. */
  left: number;
  resetsAt: number;
};
type RateLeft = Standing & { of: "requests" | "tokens"; scope: "key" | "account"; seconds: number };

/** What is left of the limits that apply to a caller's requests. */
export type KeyLimits = (
  caller: Caller,
  options: OptionValues,
) => Promise<{ budgets: BudgetLeft[]; rates: RateLeft[] }>;

type Needs = { sql: Sql; nodeId: string; rates: Pick<RateLimiter, "look">; periods: () => PeriodTimes };

/** Asks where requests ask, for nothing: so what it says is what the next request meets. */
export function createKeyLimits({ sql, nodeId, rates, periods }: Needs): KeyLimits {
  async function budgetsOf(owner: BudgetOwner): Promise<BudgetLeft[]> {
    const times = periods();
    const starts = BUDGET_PERIODS.map((period) => times[period].start);
    const { lefts } = await takeBudget(sql, nodeId, owner, { starts, wanted: 0, needed: 0, least: 0, dropped: 0 });
    return BUDGET_PERIODS.flatMap((period, place) => {
      const left = lefts[place];
      const limit = owner.limits[place] ?? 0;
      return left == null ? [] : [{ owner: owner.owner, period, limit, left, resetsAt: times[period].end }];
    });
  }

  async function rateOf(rule: Rule, of: RateLeft["of"]): Promise<RateLeft> {
    const scope = rule.subject.startsWith("t") && !rule.subject.startsWith("tu") ? "key" : "account";
    return { ...(await rates.look(rule)), of, scope, seconds: rule.seconds };
  }

  return async (caller, options) => {
    const [budgets, ...ofRates] = await Promise.all([
      Promise.all(budgetOwners(caller).map(budgetsOf)),
      ...requestRules(caller, options).map((rule) => rateOf(rule, "requests")),
      ...tokenRules(caller).map((rule) => rateOf(rule, "tokens")),
    ]);
    return { budgets: budgets.flat(), rates: ofRates };
  };
}
