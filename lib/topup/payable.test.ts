import { describe, expect, test } from "vitest";
import { formatCents, minimumAmount, type PriceRule, payableFor } from "./payable";

const rule: PriceRule = { inCurrency: true, quotaPerUnit: 500_000, price: 7.3, groupRatio: 1, minUnits: 1 };

describe("what a top-up costs and credits (B310)", () => {
  test.each([
    ["10 units at 7.3", 10, rule, 5_000_000, "73.00"],
    ["a group that pays less", 10, { ...rule, groupRatio: 0.8 }, 5_000_000, "58.40"],
    ["a group of ratio 0 pays the full price", 1, { ...rule, groupRatio: 0 }, 500_000, "7.30"],
    ["a group that is not named pays the full price", 1, { ...rule, groupRatio: undefined }, 500_000, "7.30"],
    ["quota mode counts the fraction for price and credit", 750_000, { ...rule, inCurrency: false }, 750_000, "10.95"],
    ["quota mode rounds half a cent up", 500, { ...rule, inCurrency: false, price: 5 }, 500, "0.01"],
    ["a price with many places is exact", 3, { ...rule, price: 0.1 }, 1_500_000, "0.30"],
  ])("%s", (_what, amount, given, quota, money) => {
    const payable = payableFor(amount, given);
    expect([payable.quota, formatCents(payable.cents)]).toEqual([quota, money]);
  });

  test("the least amount is in units, or in quota where amounts are quota (B302)", () => {
    expect(minimumAmount({ ...rule, minUnits: 5 })).toBe(5);
    expect(minimumAmount({ ...rule, inCurrency: false, minUnits: 2 })).toBe(1_000_000);
  });
});
