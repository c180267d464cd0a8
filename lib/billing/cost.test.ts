import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CostPrice, type CostTerms, costUsage, resolveCost } from "./cost";
import { priceUsage } from "./price";
import { type BilledUsage, NO_USAGE, type PriceOptions } from "./types";

const options: PriceOptions = {
  ModelRatio: { sold: 1.25, "real-model": 2 },
  CompletionRatio: { sold: 4, "real-model": 3 },
  ModelPrice: { "by-call": 0.04 },
  CacheRatio: { sold: 0.5 },
  QuotaPerUnit: 500_000,
  SelfUseModeEnabled: false,
};

const byFactor = (factor: number | null): CostTerms => ({ factor, prices: {} });
const byPrice = (model: string, price: CostPrice): CostTerms => ({ factor: 1, prices: { [model]: price } });

function costOf(usage: Partial<BilledUsage>, names: readonly string[], terms: CostTerms, given = options) {
  const row = resolveCost(names, terms, given);
  return row && costUsage({ ...NO_USAGE, ...usage }, row);
}

describe("cost by factor", () => {
  const usage = { promptTokens: 1_000, cachedTokens: 200, completionTokens: 500 };

  test("1,000 prompt tokens of which 200 cached, 500 completion tokens, at 0.6 of the list price", () => {
    // (800 + 200 × 0.5 + 500 × 4) × 1.25 = 3,625; × 0.6 = 2,175
    expect(costOf(usage, ["sold"], byFactor(0.6))).toEqual({
      quota: 2_175,
      lines: [
        { kind: "prompt", quantity: 800, unitPrice: 1.25, amount: 600 },
        { kind: "cached", quantity: 200, unitPrice: 0.625, amount: 75 },
        { kind: "completion", quantity: 500, unitPrice: 5, amount: 1_500 },
      ],
    });
  });

  test("factor 1 is the list price itself, 0 is free, and above 1 a loss", () => {
    expect(costOf(usage, ["sold"], byFactor(1))?.quota).toBe(3_625);
    expect(costOf(usage, ["sold"], byFactor(0))?.quota).toBe(0);
    expect(costOf(usage, ["sold"], byFactor(1.2))?.quota).toBe(4_350);
  });

  test("a price by call costs its factor of it", () => {
    // 0.04 × 500,000 × 0.5
    expect(costOf({ promptTokens: 1 }, ["by-call"], byFactor(0.5))?.quota).toBe(10_000);
  });

  test("the upstream's name of the model decides, if it has a list price, else the name that was asked for", () => {
    const tokens = { promptTokens: 100 };
    expect(costOf(tokens, ["real-model", "sold"], byFactor(1))?.quota).toBe(200);
    expect(costOf(tokens, ["ep-2024-deployment", "sold"], byFactor(1))?.quota).toBe(125);
  });
});

describe("cost by the channel's own price", () => {
  test("USD per million tokens: input 2.5, output 10, cached 1.25", () => {
    // (800 × 2.5 + 200 × 1.25 + 500 × 10) USD / 1,000,000 × 500,000 = 3,625
    const terms = byPrice("sold", { input: 2.5, output: 10, cached: 1.25 });
    expect(costOf({ promptTokens: 1_000, cachedTokens: 200, completionTokens: 500 }, ["sold"], terms)).toEqual({
      quota: 3_625,
      lines: [
        { kind: "prompt", quantity: 800, unitPrice: 1.25, amount: 1_000 },
        { kind: "cached", quantity: 200, unitPrice: 0.625, amount: 125 },
        { kind: "completion", quantity: 500, unitPrice: 5, amount: 2_500 },
      ],
    });
  });

  test("an input price of 0 leaves the output price as it is", () => {
    expect(
      costOf({ promptTokens: 9_999, completionTokens: 100 }, ["sold"], byPrice("sold", { input: 0, output: 4 }))?.quota,
    ).toBe(200);
  });

  test("what is left out costs as much as input; writing the cache 1.25 times", () => {
    const terms = byPrice("sold", { input: 2 });
    expect(costOf({ promptTokens: 300, cachedTokens: 100, completionTokens: 100 }, ["sold"], terms)?.quota).toBe(400);
    expect(costOf({ promptTokens: 100, cacheWriteTokens: 100 }, ["sold"], terms)?.quota).toBe(125);
  });

  test("per call, whatever the tokens; nothing when nothing was delivered", () => {
    const terms = byPrice("sold", { per_call: 0.02, input: 99 });
    expect(costOf({ promptTokens: 1, completionTokens: 5_000 }, ["sold"], terms)?.quota).toBe(10_000);
    expect(costOf({}, ["sold"], terms)).toEqual({ quota: 0, lines: [] });
  });

  test("it goes before the factor, under the upstream's name before the one that was asked for", () => {
    const terms: CostTerms = { factor: 5, prices: { sold: { input: 2 }, "real-model": { input: 6 } } };
    expect(costOf({ promptTokens: 100 }, ["real-model", "sold"], terms)?.quota).toBe(300);
    expect(costOf({ promptTokens: 100 }, ["other", "sold"], terms)?.quota).toBe(100);
  });
});

describe("what is not known is not zero", () => {
  test("no price in any list, also where a stand-in ratio is charged", () => {
    const selfUse = { ...options, SelfUseModeEnabled: true };
    expect(resolveCost(["nobody-knows-it"], byFactor(1), selfUse)).toBeNull();
  });

  test("a factor that could not be read", () => {
    expect(resolveCost(["sold"], byFactor(null), options)).toBeNull();
  });

  test("but a free upstream is free, whatever the model", () => {
    expect(costOf({ promptTokens: 100 }, ["nobody-knows-it"], byFactor(0))?.quota).toBe(0);
  });
});

describe("rounding", () => {
  test("half a unit is rounded up, less is nothing: no minimum as charges have", () => {
    const at = (promptTokens: number) => costOf({ promptTokens }, ["sold"], byPrice("sold", { input: 0.2 }))?.quota;
    // 0.1 quota a token
    expect([at(4), at(5), at(14), at(15)]).toEqual([0, 1, 1, 2]);
    const free = resolveCost(["sold"], byFactor(0.1), options);
    expect(free && priceUsage({ ...NO_USAGE, promptTokens: 1 }, free.price).quota).toBe(1);
  });

  test("line items are whole and add up to the cost; the cost is within one unit of the exact sum", () => {
    const tokens = fc.integer({ min: 0, max: 200_000 });
    const usd = fc
      .double({ min: 0, max: 100, noNaN: true, noDefaultInfinity: true })
      .map((price) => Number(price.toFixed(6)));
    fc.assert(
      fc.property(
        tokens,
        tokens,
        tokens,
        usd,
        usd,
        usd,
        (plain, cachedTokens, completionTokens, input, output, cached) => {
          const usage = { promptTokens: plain + cachedTokens, cachedTokens, completionTokens };
          const cost = costOf(usage, ["sold"], byPrice("sold", { input, output, cached }));
          const exact = (plain * input + cachedTokens * cached + completionTokens * output) / 2;
          expect(Math.abs((cost?.quota ?? Number.NaN) - exact)).toBeLessThanOrEqual(0.5 + exact * 1e-9);
          expect(cost?.lines.reduce((sum, { amount }) => sum + amount, 0)).toBe(cost?.quota);
        },
      ),
    );
  });
});
