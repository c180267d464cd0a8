import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { priceBound, priceUsage, resolvePrice } from "./price";
import { toQuota } from "./quota";
import type { BilledUsage, PriceOptions, PriceRow } from "./types";

const noUsage: BilledUsage = {
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  audioPromptTokens: 0,
  audioCompletionTokens: 0,
  estimated: false,
};

const onePrice: PriceRow = {
  modelRatio: 1,
  completionRatio: 1,
  cacheRatio: 1,
  createCacheRatio: 1.25,
  audioRatio: 20,
  audioCompletionRatio: 2,
  modelPrice: null,
  groupRatio: 1,
  quotaPerUnit: 500_000,
};

const noOptions: PriceOptions = {
  ModelRatio: {},
  CompletionRatio: {},
  ModelPrice: {},
  CacheRatio: {},
  QuotaPerUnit: 500_000,
  SelfUseModeEnabled: false,
};

const chargeOf = (usage: Partial<BilledUsage>, price: Partial<PriceRow>) =>
  priceUsage({ ...noUsage, ...usage }, { ...onePrice, ...price });

describe("priceUsage", () => {
  test("gpt-4o, 1,000 prompt tokens of which 200 cached, 500 completion tokens, group 0.8", () => {
    const price = { modelRatio: 1.25, completionRatio: 4, cacheRatio: 0.5, groupRatio: 0.8 };
    const charge = chargeOf({ promptTokens: 1_000, cachedTokens: 200, completionTokens: 500 }, price);
    expect(charge).toEqual({
      quota: 2_900,
      lines: [
        { kind: "prompt", quantity: 800, unitPrice: 1.25, amount: 800 },
        { kind: "cached", quantity: 200, unitPrice: 0.625, amount: 100 },
        { kind: "completion", quantity: 500, unitPrice: 5, amount: 2_000 },
      ],
    });
  });

  test("Claude: (input + read × cacheRatio + write × createCacheRatio + output × c) × ratio (contract §5.2)", () => {
    const price = { modelRatio: 1.5, completionRatio: 5, cacheRatio: 0.1, createCacheRatio: 1.25 };
    const usage = { promptTokens: 10 + 1_000 + 400, cachedTokens: 1_000, cacheWriteTokens: 400, completionTokens: 20 };
    expect(chargeOf(usage, price).quota).toBe((10 + 100 + 500 + 100) * 1.5);
  });

  test("sound that was cached is charged as cached, wherever its sum with the other parts is more than the prompt", () => {
    const price = { modelRatio: 1, cacheRatio: 0.1, audioRatio: 20 };
    expect(chargeOf({ promptTokens: 150, audioPromptTokens: 150, cachedTokens: 100 }, price).quota).toBe(1_010);
    expect(chargeOf({ promptTokens: 150, audioPromptTokens: 50, cachedTokens: 100 }, price).quota).toBe(1_010);
  });

  test("audio: (textIn + textOut × c + audioIn × a + audioOut × a × b) × ratio (contract §5.2)", () => {
    const usage = { promptTokens: 110, audioPromptTokens: 100, completionTokens: 70, audioCompletionTokens: 50 };
    const charge = chargeOf(usage, { modelRatio: 1.25, completionRatio: 4, audioRatio: 40, audioCompletionRatio: 2 });
    expect(charge.quota).toBe(Math.round((10 + 20 * 4 + 100 * 40 + 50 * 80) * 1.25));
  });

  test.each([
    ["a half is rounded away from zero", { promptTokens: 3 }, { modelRatio: 0.5 }, 2],
    [
      "binary noise below a half is a half",
      { promptTokens: 1 },
      { modelRatio: 1.15, groupRatio: 10, cacheRatio: 1 },
      12,
    ],
    ["anything used costs at least 1", { promptTokens: 1 }, { modelRatio: 0.075, groupRatio: 0.5 }, 1],
    ["a free model costs nothing", { promptTokens: 1_000 }, { modelRatio: 0 }, 0],
    ["a free group costs nothing", { promptTokens: 1_000 }, { groupRatio: 0 }, 0],
    ["by call the tokens do not matter", { promptTokens: 9_999 }, { modelPrice: 0.04, modelRatio: 7 }, 20_000],
    ["by call the group counts", { completionTokens: 1 }, { modelPrice: 0.04, groupRatio: 0.5 }, 10_000],
    ["nothing delivered costs nothing", {}, {}, 0],
    ["nothing delivered costs nothing by call either", {}, { modelPrice: 0.04 }, 0],
    ["counts that are no counts are none", { promptTokens: Number.NaN, completionTokens: -5 }, {}, 0],
  ] as const)("%s", (_, usage, price, quota) => {
    expect(chargeOf(usage, price).quota).toBe(quota);
  });

  const tokens = fc.integer({ min: 0, max: 2_000_000 });
  const usages = fc
    .record({ text: tokens, cached: tokens, written: tokens, audio: tokens, out: tokens, audioOut: tokens })
    .map((part) => ({
      promptTokens: part.text + part.cached + part.written + part.audio,
      cachedTokens: part.cached,
      cacheWriteTokens: part.written,
      audioPromptTokens: part.audio,
      completionTokens: part.out + part.audioOut,
      audioCompletionTokens: part.audioOut,
      estimated: false,
    }));
  /**
   * Realistic ratios with up to four decimals. Those with few decimals take the path with plain numbers, the others the
   * bigint path.
   */
  const ratio = fc.oneof(
    fc.integer({ min: 0, max: 1_000_000 }).map((units) => units / 10_000),
    fc.integer({ min: 0, max: 10_000 }).map((units) => units / 100),
    fc.integer({ min: 0, max: 50 }),
  );
  const prices = fc
    .record({
      modelRatio: ratio,
      completionRatio: ratio,
      cacheRatio: ratio,
      createCacheRatio: ratio,
      groupRatio: ratio,
    })
    .map((ratios) => ({ ...onePrice, ...ratios }));

  test("the charge is the exact decimal result, rounded half away from zero", () => {
    fc.assert(
      fc.property(usages, prices, (usage, price) => {
        expect(priceUsage(usage, price).quota).toBe(exactQuota(usage, price));
      }),
      { numRuns: 500 },
    );
  });

  test("the line items are whole, not negative, close to quantity × price × group, and add up to the charge", () => {
    fc.assert(
      fc.property(usages, prices, (usage, price) => {
        const { quota, lines } = priceUsage(usage, price);
        expect(lines.reduce((sum, line) => sum + line.amount, 0)).toBe(quota);
        for (const { quantity, unitPrice, amount } of lines) {
          expect(Number.isSafeInteger(amount) && amount >= 0).toBe(true);
          const exact = quantity * unitPrice * price.groupRatio;
          expect(Math.abs(amount - exact)).toBeLessThanOrEqual(1 + exact * 1e-12);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("more usage never costs less, and the bound is never below the price of text however it was cached", () => {
    fc.assert(
      fc.property(usages, prices, (usage, price) => {
        const more = { ...usage, completionTokens: usage.completionTokens + 1 };
        expect(priceUsage(more, price).quota).toBeGreaterThanOrEqual(priceUsage(usage, price).quota);
        const text = { ...usage, audioPromptTokens: 0, audioCompletionTokens: 0 };
        const capped = { ...price, cacheRatio: Math.min(1, price.cacheRatio) };
        const prompt = { promptTokens: text.promptTokens, audioPromptTokens: 0, writesAudio: false };
        const bound = priceBound(prompt, text.completionTokens, capped);
        expect(bound).toBeGreaterThanOrEqual(priceUsage(text, capped).quota);
      }),
    );
  });
  test("the bound of a plain request is the exact product, rounded half up, at every size", () => {
    const thousandths = fc.integer({ min: 1, max: 40_000 });
    const tokens = fc.oneof(fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 1, max: 2 ** 31 - 1 }));
    fc.assert(
      fc.property(
        thousandths,
        thousandths,
        fc.constantFrom(1, 0.5, 0.001),
        tokens,
        tokens,
        (model, answer, group, promptTokens, completion) => {
          const price = {
            ...onePrice,
            modelRatio: model / 1_000,
            completionRatio: answer / 1_000,
            createCacheRatio: 1,
            groupRatio: group,
          };
          const sum =
            (BigInt(promptTokens) * 1_000n + BigInt(completion) * BigInt(answer)) *
            BigInt(model) *
            BigInt(group * 1_000);
          const exact = (2n * sum + 10n ** 9n) / (2n * 10n ** 9n);
          const most = 10n ** 13n;
          const expected = exact === 0n ? 1n : exact > most ? most : exact;
          const bound = priceBound({ promptTokens, audioPromptTokens: 0, writesAudio: false }, completion, price);
          expect(bound).toBe(Number(expected));
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe("resolvePrice", () => {
  const resolve = (model: string, options: Partial<PriceOptions> = {}, group = 1) =>
    resolvePrice(model, group, { ...noOptions, ...options });

  test.each([
    ["gpt-4o", { modelRatio: 1.25, completionRatio: 4, cacheRatio: 0.5, modelPrice: null }],
    ["claude-3-5-haiku-20241022", { modelRatio: 0.4, completionRatio: 5, cacheRatio: 0.1, createCacheRatio: 1.25 }],
    ["whisper-1", { modelRatio: 0, modelPrice: null, meterPrices: { second: 0.0001 }, metersOnly: true }],
    ["dall-e-3", { modelPrice: null, meterPrices: { picture: 0.04 } }],
    ["gpt-image-1", { modelRatio: 2.5, completionRatio: 8, modelPrice: null }],
    ["gpt-4-gizmo-g-123", { modelPrice: 0.1 }],
    ["gpt-4o-gizmo-g-123", { modelRatio: 2.5, completionRatio: 3, modelPrice: null }],
    ["grok-2", { modelRatio: 1, completionRatio: 5 }],
  ])("the built-in price of %s", (model, expected) => {
    expect(resolve(model)).toMatchObject(expected);
  });

  test.each(["no-such-model", "constructor", "__proto__", "toString"])("no price is known for %s", (model) => {
    expect(resolve(model)).toBeNull();
    expect(resolve(model, { SelfUseModeEnabled: true })).toMatchObject({ modelRatio: 37.5, completionRatio: 1 });
  });

  test("what the operator set wins: ratio over built-in price, price over ratio, completion ratio over the rules", () => {
    expect(resolve("dall-e-3", { ModelRatio: { "dall-e-3": 2 } })).toMatchObject({ modelRatio: 2, modelPrice: null });
    expect(resolve("gpt-4o", { ModelPrice: { "gpt-4o": 0 } })).toMatchObject({ modelPrice: 0 });
    expect(resolve("gpt-4o", { CompletionRatio: { "gpt-4o": 1.5 } })).toMatchObject({ completionRatio: 1.5 });
    expect(resolve("gpt-4o", { CacheRatio: { "gpt-4o": 0.25 } })).toMatchObject({ cacheRatio: 0.25 });
  });

  test("a model only the operator prices takes its completion ratio from the rules by name", () => {
    const ModelRatio = { "claude-9-next": 3, "in-house": 3 };
    expect(resolve("claude-9-next", { ModelRatio })).toMatchObject({ modelRatio: 3, completionRatio: 5 });
    expect(resolve("in-house", { ModelRatio })).toMatchObject({ completionRatio: 1 });
  });

  test("1 USD of gpt-4o prompt is 500,000 quota: 400,000 tokens at $2.50 per million", () => {
    const price = resolve("gpt-4o");
    if (!price) throw new Error("no price");
    expect(priceUsage({ ...noUsage, promptTokens: 400_000 }, price).quota).toBe(500_000);
  });
});

describe("quota", () => {
  test.each([0.1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])("%s is not a quota", (value) => {
    expect(() => toQuota(value)).toThrow(RangeError);
  });
});

/** The exact formula, in integers of 1/10,000. */
function exactQuota(usage: BilledUsage, price: PriceRow): number {
  const units = (value: number) => BigInt(Math.round(value * 10_000));
  const text = usage.promptTokens - usage.cachedTokens - usage.cacheWriteTokens - usage.audioPromptTokens;
  const one = units(1);
  const audio = units(price.audioRatio);
  const weighted =
    BigInt(text) * one +
    BigInt(usage.cachedTokens) * units(price.cacheRatio) +
    BigInt(usage.cacheWriteTokens) * units(price.createCacheRatio) +
    BigInt(usage.audioPromptTokens) * audio +
    BigInt(usage.completionTokens - usage.audioCompletionTokens) * units(price.completionRatio) +
    BigInt(usage.audioCompletionTokens) * audio * BigInt(price.audioCompletionRatio);
  const scale = one * one * one;
  const exact = weighted * units(price.modelRatio) * units(price.groupRatio);
  const used = usage.promptTokens + usage.completionTokens > 0;
  const rounded = Number((exact * 2n + scale) / (scale * 2n));
  return used && rounded === 0 && price.modelRatio * price.groupRatio !== 0 ? 1 : rounded;
}

test("the operator's cache write ratio comes before the built-in one and before 1.25", () => {
  const ratioOf = (model: string, CreateCacheRatio = {}) =>
    resolvePrice(model, 1, { ...noOptions, CreateCacheRatio })?.createCacheRatio;
  expect([ratioOf("claude-sonnet-4-5"), ratioOf("claude-sonnet-4-5", { "claude-sonnet-4-5": 2 })]).toEqual([1.25, 2]);
});
