import { expect, test } from "vitest";
import { amountText, parseAmount } from "./amount";

const unit = { quotaPerUnit: 500_000, symbol: "￥" };
const quotaOf = (text: string, own = unit) => {
  const parsed = parseAmount(text, own);
  return "quota" in parsed ? parsed.quota : parsed.issue.kind;
};

test("a person who types 10 means 10 of the currency, with a point, a comma or in full-width characters (T3)", () => {
  expect(quotaOf("10")).toBe(5_000_000);
  expect(quotaOf("0.25")).toBe(125_000);
  expect(quotaOf("0,25")).toBe(125_000);
  expect(quotaOf(" ￥1.5 ")).toBe(750_000);
  expect(quotaOf("１０．５")).toBe(5_250_000);
  expect(quotaOf("10。5")).toBe(5_250_000);
  expect(quotaOf("-3.10")).toBe(-1_550_000);
  expect(quotaOf("+2.")).toBe(1_000_000);
  expect(quotaOf(".5")).toBe(250_000);
  expect(Object.is(quotaOf("-0"), 0)).toBe(true);
  expect(quotaOf("EUR 5", { ...unit, symbol: "EUR\u00a0" })).toBe(2_500_000);
});

test("amounts are exact where floating point is not", () => {
  for (const cents of [7, 10, 29, 57, 115, 1_005, 4_099]) {
    expect(quotaOf((cents / 100).toFixed(2))).toBe(cents * 5_000);
    expect(amountText(cents * 5_000, unit)).toBe(String(cents / 100));
  }
  expect(quotaOf("18014398509.481982")).toBe(Number.MAX_SAFE_INTEGER);
  expect(quotaOf("0.000002")).toBe(1);
});

test("every amount that is shown is read back as the same quota, whatever the unit is", () => {
  for (const quotaPerUnit of [1, 2, 3, 7.3, 1_000, 333_333.33, 500_000, 1_000_000, 1e15]) {
    const own = { quotaPerUnit, symbol: "$" };
    for (const quota of [0, 1, 2, 3, 99, 12_345, 500_001, 7_654_321, 2 ** 53 - 1])
      for (const signed of [quota, -quota])
        expect(quotaOf(amountText(signed, own), own)).toBe(signed === 0 ? 0 : signed);
  }
});

test("what is no amount, or means two, is refused and never read as zero", () => {
  for (const text of ["", " ", "-", ".", "ten", "1e3", "0x10", "1.2.3", "1,2,3", "--1", "1-", "∞", "NaN", "$5", "1 2a"])
    expect(quotaOf(text)).toBe("text");
  expect(quotaOf("1,000")).toBe("ambiguous");
  expect(quotaOf("-12,500")).toBe("ambiguous");
  expect(quotaOf("0,125")).toBe(62_500);
});

test("amounts too small, too fine or too large are refused with the smallest step", () => {
  expect(parseAmount("0.000001", unit)).toEqual({ issue: { kind: "step", step: "0.000002" } });
  expect(parseAmount("0.000003", unit)).toEqual({ issue: { kind: "step", step: "0.000002" } });
  expect(parseAmount("0.0000001", unit)).toEqual({ issue: { kind: "digits", digits: 6 } });
  expect(quotaOf("0.0000000")).toBe(0);
  expect(parseAmount("0.01", { quotaPerUnit: 3, symbol: "$" })).toEqual({ issue: { kind: "nothing", step: "0.33" } });
  expect(quotaOf("18014398509.481984")).toBe("large");
  expect(quotaOf("9".repeat(400))).toBe("large");
});
