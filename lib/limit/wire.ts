import { z } from "zod";

type Budgets = { budgetDay: number; budgetWeek: number; budgetMonth: number };

export function toWireBudgets({ budgetDay, budgetWeek, budgetMonth }: Budgets) {
  return { budget_day: budgetDay, budget_week: budgetWeek, budget_month: budgetMonth };
}

const limit = z.number("limitInvalid").optional();
const budget = z.number("budgetInvalid").optional();

/** The limits that clients may send. Their values are checked by the commands. */
export const wireLimits = {
  requests_per_minute: limit,
  tokens_per_minute: limit,
  concurrency_limit: z.number("concurrencyInvalid").optional(),
  budget_day: budget,
  budget_week: budget,
  budget_month: budget,
};

type WireLimits = { [Name in keyof typeof wireLimits]?: number | undefined };

/** The limits under their internal names; absent stays absent. */
export function fromWireLimits(wire: WireLimits) {
  return {
    requestsPerMinute: wire.requests_per_minute,
    tokensPerMinute: wire.tokens_per_minute,
    concurrencyLimit: wire.concurrency_limit,
    budgetDay: wire.budget_day,
    budgetWeek: wire.budget_week,
    budgetMonth: wire.budget_month,
  };
}
