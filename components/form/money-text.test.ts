import { expect, test } from "vitest";
import { formatExactQuota } from "@/components/format/quota";
import { NO_AMOUNT, toMoneyText, toQuotaText } from "./money-text";

const display = { inCurrency: true, quotaPerUnit: 500_000, symbol: "$" };

test("a field for money shows a draft's quota as an amount and gives quota back (T3, B082)", () => {
  expect(toMoneyText("5000000", display)).toBe("10");
  expect(toMoneyText("246", display)).toBe("0.000492");
  expect(toMoneyText("-100000", display)).toBe("-0.2");
  expect(toQuotaText("10", display)).toBe("5000000");
  expect(toQuotaText("$ 0,2", display)).toBe("100000");
});

test("an amount that cannot be read becomes no number, and none stays none", () => {
  expect(toQuotaText(" ", display)).toBe("");
  for (const text of ["ten", "1,000", "0.0000001", "1e3"]) {
    expect(toQuotaText(text, display)).toBe(NO_AMOUNT);
    expect(Number(toQuotaText(text, display))).toBeNaN();
  }
  expect(toMoneyText(NO_AMOUNT, display)).toBe("");
});

test("an amount in a sentence has at least two decimals and never fewer than it takes", () => {
  expect(formatExactQuota(5_000_000, display)).toBe("$10.00");
  expect(formatExactQuota(-246, display)).toBe("-$0.000492");
  expect(formatExactQuota(0, display)).toBe("$0.00");
  expect(formatExactQuota(12_345, { ...display, inCurrency: false })).toBe("12,345");
});
