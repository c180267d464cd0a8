import { expect, test } from "vitest";
import { BUDGET_PERIODS } from "@/lib/limit/budget-periods";
import type { BudgetGrant, BudgetOwner } from "./budget-commands";
import { BudgetBook } from "./budgets";

const owner: BudgetOwner = { owner: "token", id: 1, userId: 1, limits: [30_000, 0, 0] };
const period = { start: 0, end: 86_400 };

/** A book over a budget of which others hold all that this process does not. */
function bookWith(left: number): { book: BudgetBook; hold: (amount: number) => void } {
  let available = 0;
  const take = async (_: BudgetOwner, ask: { needed: number; least: number }): Promise<BudgetGrant> => {
    const granted = available >= ask.needed ? ask.needed : available >= ask.least ? available : 0;
    available -= granted;
    return { granted, lefts: [left, null, null] };
  };
  const periods = () => ({ day: period, week: period, month: period });
  const book = new BudgetBook({ take, giveBack: async () => {}, periods, onError: () => {} });
  const hold = (amount: number): void => {
    available += amount;
  };
  return { book, hold };
}

test("what a process holds is given to a request that wants more than is left anywhere", async () => {
  const { book, hold } = bookWith(18_000);
  hold(20_000);
  expect(await book.take(owner, { amount: 20_000, least: 1 })).toBe(20_000);
  // Nobody has anything left, and most of what was taken comes back.
  book.settle(owner, 20_000, 2_000);
  expect(await book.take(owner, { amount: 20_500, least: 640 })).toBe(18_000);
  expect(await book.take(owner, { amount: 20_500, least: 640 })).toMatchObject({ refused: true });
});

test("but not when other charges have used the period up meanwhile", async () => {
  const { book, hold } = bookWith(-5);
  hold(20_000);
  await book.take(owner, { amount: 20_000, least: 1 });
  book.settle(owner, 20_000, 2_000);
  expect(await book.take(owner, { amount: 20_500, least: 640 })).toMatchObject({
    refused: true,
    period: BUDGET_PERIODS[0],
  });
});
