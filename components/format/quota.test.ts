import { expect, test } from "vitest";
import { displayOf } from "@/lib/money/display";
import { formatConverted, formatDecimal, formatMoney, formatNumber, formatQuota } from "./quota";
import { ratioHue } from "./ratio-badge";

const money = { inCurrency: true, quotaPerUnit: 500_000, symbol: "￥" };
const plain = { ...money, inCurrency: false };

test("amounts carry the currency prefix with two decimals, also when negative (A222)", () => {
  expect(formatQuota(500_000, money)).toBe("￥1.00");
  expect(formatQuota(-250_000, money)).toBe("-￥0.50");
  expect(formatQuota(123, money, 6)).toBe("￥0.000246");
  expect(formatQuota(-1, money)).toBe("￥0.00");
});

test("the currency symbol and the quota per unit are the site's own (A222)", () => {
  expect(formatQuota(1_000_000, { inCurrency: true, quotaPerUnit: 1_000_000, symbol: "$" })).toBe("$1.00");
  expect(formatMoney(-3.456, "€")).toBe("-€3.46");
});

test("without currency display quota is a number, shortened with k, M and B at their bounds (A223)", () => {
  expect(formatQuota(9_999, plain)).toBe("9999");
  expect(formatQuota(10_000, plain)).toBe("10.0k");
  expect(formatNumber(12_345)).toBe("12.3k");
  expect(formatNumber(1_000_000)).toBe("1.0M");
  expect(formatNumber(1_500_000)).toBe("1.5M");
  expect(formatNumber(-1_500_000)).toBe("-1.5M");
  expect(formatNumber(2_000_000_000)).toBe("2.0B");
  expect(formatNumber(0)).toBe("0");
});

test("the colour of a ratio changes above 1, 3 and 5, not at them (A227)", () => {
  const hues = [5.01, 5, 3.01, 3, 1.01, 1, 0.5, 0].map(ratioHue);
  expect(hues).toEqual(["red", "orange", "orange", "blue", "blue", "green", "green", "green"]);
});

test("decimals keep what matters and drop trailing zeros", () => {
  expect(formatDecimal(2.5)).toBe("2.5");
  expect(formatDecimal(100)).toBe("100");
  expect(formatDecimal(0)).toBe("0");
  expect(formatDecimal(0.0000004)).toBe("0");
});

test("a second currency is shown only where the operator sets one with a rate, converted and marked (T3)", () => {
  const options = { DisplayInCurrencyEnabled: true, QuotaPerUnit: 500_000, CurrencySymbol: "$" };
  const euro = { ...options, SecondCurrencySymbol: "EUR", SecondCurrencyRate: 0.9 };
  expect(formatConverted(1_000_000, displayOf(options))).toBeNull();
  expect(formatConverted(1_000_000, displayOf({ ...euro, SecondCurrencyRate: 0 }))).toBeNull();
  expect(formatConverted(1_000_000, displayOf({ ...euro, DisplayInCurrencyEnabled: false }))).toBeNull();
  expect(formatConverted(1_000_000, displayOf(euro))).toBe("≈ EUR\u00a01.80");
  expect(formatConverted(-1_000_000, displayOf(euro))).toBe("≈ -EUR\u00a01.80");
});
