import { expect, test } from "vitest";
import { isDollar, knownDollarRate, parseRate } from "./dollar-rate";

test("a list in dollars is converted by the second currency where that is the dollar, else 1 to 1 until told otherwise", () => {
  expect(knownDollarRate({ symbol: "￥", second: { symbol: "$", rate: 0.137 } })).toBe("7.29927");
  expect(knownDollarRate({ symbol: "￥", second: { symbol: "EUR\u00a0", rate: 0.13 } })).toBe("1");
  expect(knownDollarRate({ symbol: "$", second: { symbol: "USD\u00a0", rate: 2 } })).toBe("1");
  expect(knownDollarRate({ symbol: "￥" })).toBe("1");
  expect(["$", "US$", "USD\u00a0"].every(isDollar)).toBe(true);
  expect(["￥", "A$", "R$", "€", ""].some(isDollar)).toBe(false);
});

test("what is no rate is refused", () => {
  expect([" 7.3", "7,3", "1"].map(parseRate)).toEqual([7.3, 7.3, 1]);
  for (const text of ["", "0", "-1", "1e3", "0x10", "1,000,000", "10000000", "NaN"]) expect(parseRate(text)).toBeNull();
});
