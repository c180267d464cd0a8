import { expect, test } from "vitest";
import { formatDecimal, formatNumber, formatQuota } from "./quota";

const money = { inCurrency: true, quotaPerUnit: 500_000 };

test("amounts carry the currency prefix, also when negative", () => {
  expect(formatQuota(500_000, money)).toBe("￥1.00");
  expect(formatQuota(-250_000, money)).toBe("-￥0.50");
  expect(formatQuota(123, money, 6)).toBe("￥0.000246");
});

test("without currency display quota is a shortened number", () => {
  expect(formatQuota(9_999, { inCurrency: false, quotaPerUnit: 500_000 })).toBe("9999");
  expect(formatNumber(12_345)).toBe("12.3k");
  expect(formatNumber(-1_500_000)).toBe("-1.5M");
  expect(formatNumber(2_000_000_000)).toBe("2.0B");
});

test("decimals keep what matters and drop trailing zeros", () => {
  expect(formatDecimal(2.5)).toBe("2.5");
  expect(formatDecimal(100)).toBe("100");
  expect(formatDecimal(0)).toBe("0");
  expect(formatDecimal(0.0000004)).toBe("0");
});
