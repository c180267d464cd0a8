import type { SourceRow } from "../types";
import { realOf, textOf } from "../values";

/** Periods that Weir has budgets for, by LiteLLM's words for them. */
const PERIODS: readonly [RegExp, string][] = [
  [/^(1d|24h|daily)$/, "budget_day"],
  [/^(7d|1w|weekly)$/, "budget_week"],
  [/^(30d|31d|1mo|monthly)$/, "budget_month"],
];

export type LitellmBudget = {
  /** What may still be spent in all; null = no limit of that kind. */
  left: number | null;
  columns: { budget_day: number; budget_week: number; budget_month: number };
};

/** A budget in quota. One of another period becomes what is left of it, so that nobody may spend more than before. */
export function readBudget(
  row: SourceRow,
  { perDollar, spend }: { perDollar: number; spend: number },
  change: (what: string) => void,
): LitellmBudget {
  const columns = { budget_day: 0, budget_week: 0, budget_month: 0 };
  if (row.max_budget === null || row.max_budget === undefined) return { left: null, columns };
  const amount = Math.round(realOf(row, "max_budget") * perDollar);
  const duration = textOf(row, "budget_duration").toLowerCase();
  if (duration === "") return { left: amount - spend, columns };
  const column = PERIODS.find(([pattern]) => pattern.test(duration))?.[1];
  // A budget of 0 forbids everything there; here 0 is no budget.
  if (column !== undefined && amount > 0) return { left: null, columns: { ...columns, [column]: amount } };
  if (column === undefined)
    change(`a budget per ${duration} does not exist here (day, week, month): what is left of it is a limit in all`);
  return { left: amount - spend, columns };
}
