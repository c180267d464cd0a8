// Charges by meters: exact, whole, never negative, never beyond the bound that was reserved, never silently nothing.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  isMeterKey,
  isMeterPrices,
  METERS,
  type MeterUsage,
  meterPrice,
  meterPriceBound,
  meterPriceMost,
  meterPriceUsed,
} from "@/lib/meters";
import { builtInModels, builtInTerms } from "./built-in-terms";
import { costUsage, resolveCost } from "./cost";
import { callsOf, unpricedMeter } from "./meter-rates";
import { affordableTokens, priceBound, priceUsage, resolvePrice } from "./price";
import { type BilledUsage, NO_USAGE, type PriceOptions, type PriceRow } from "./types";

const onePrice: PriceRow = {
  modelRatio: 0,
  completionRatio: 1,
  cacheRatio: 1,
  createCacheRatio: 1.25,
  audioRatio: 20,
  audioCompletionRatio: 2,
  modelPrice: null,
  groupRatio: 1,
  quotaPerUnit: 500_000,
};
const options: PriceOptions = {
  ModelRatio: {},
  CompletionRatio: {},
  ModelPrice: {},
  CacheRatio: {},
  QuotaPerUnit: 500_000,
  SelfUseModeEnabled: false,
};
const NO_PROMPT = { promptTokens: 0, audioPromptTokens: 0, writesAudio: false };
const used = (...meters: MeterUsage[]): BilledUsage => ({ ...NO_USAGE, meters });
const resolve = (model: string, given: Partial<PriceOptions> = {}) => {
  const price = resolvePrice(model, 1, { ...options, ...given });
  if (!price) throw new Error(`no price of ${model}`);
  return price;
};
const chargeOf = (model: string, usage: BilledUsage, given: Partial<PriceOptions> = {}) =>
  priceUsage(usage, resolve(model, given));

describe("keys of prices", () => {
  test("a meter, and maybe a variant", () => {
    const good = ["second", "picture:1024x1024", "picture:1024x1024:hd"];
    const bad = ["", "token", "Second", "picture:", "picture:a b", ":hd", "picture::hd", `picture:${"x".repeat(99)}`];
    expect([good.map(isMeterKey), bad.map(isMeterKey)]).toEqual([good.map(() => true), bad.map(() => false)]);
  });

  test("the longest beginning of a variant that has a price counts; where something is open, the dearest is the bound", () => {
    const prices = { picture: 1, "picture:1024x1024": 2, "picture:1024x1024:hd": 3, "picture:big": 9 };
    const priceOf = (variant?: string) => meterPrice(prices, { meter: "picture", ...(variant ? { variant } : {}) });
    expect(["1024x1024:hd", "1024x1024:low", "1024x1024", "7x7:hd", undefined].map(priceOf)).toEqual([3, 2, 2, 1, 1]);
    expect(meterPriceMost(prices, { meter: "picture" })).toBe(9);
    expect(meterPriceMost(prices, { meter: "picture", variant: "1024x1024" })).toBe(3);
    expect(meterPriceMost(prices, { meter: "page" })).toBeUndefined();
    expect(meterPriceBound(prices, { meter: "page" })).toBeUndefined();
    // "a" itself has no price, so that it costs as much as the dearest variant.
    const finer = { "second:a:hd": 1, "second:b": 5 };
    expect(meterPriceUsed(finer, { meter: "second", variant: "a" })).toBe(5);
    expect(meterPriceBound(finer, { meter: "second", variant: "a" })).toBe(5);
    expect(meterPriceBound(finer, { meter: "second", variant: "a:hd" })).toBe(1);
    // A size that the upstream chose and that no line has is charged as the dearest, not at nothing.
    expect(meterPriceUsed({ "picture:a": 1, "picture:b": 4 }, { meter: "picture", variant: "c" })).toBe(4);
    expect(meterPriceUsed(prices, { meter: "page" })).toBeUndefined();
  });
});

describe("charges of the built-in models", () => {
  test.each([
    ["whisper-1", { meter: "second", quantity: 61.5 }, 3_075],
    ["tts-1", { meter: "character", quantity: 1_000 }, 7_500],
    ["tts-1-hd", { meter: "character", quantity: 3 }, 45],
    ["dall-e-2", { meter: "picture", variant: "256x256", quantity: 2 }, 16_000],
    ["dall-e-3", { meter: "picture", variant: "1024x1024", quantity: 1 }, 20_000],
    ["dall-e-3", { meter: "picture", variant: "1024x1024:standard", quantity: 1 }, 20_000],
    ["dall-e-3", { meter: "picture", variant: "1024x1792:hd", quantity: 2 }, 120_000],
    ["imagen-3.0-generate-002", { meter: "picture", quantity: 4 }, 60_000],
    ["rerank-v3.5", { meter: "search", quantity: 3 }, 3_000],
    ["mistral-ocr-latest", { meter: "page", quantity: 10 }, 20_000],
  ] as const)("%s, %o", (model, meter, quota) => {
    const { lines, ...rest } = chargeOf(model, used(meter));
    expect(rest).toEqual({ quota });
    expect(lines).toMatchObject([{ kind: meter.meter, quantity: meter.quantity, amount: quota }]);
  });

  test("gpt-image-1 is charged by tokens, whatever number of pictures is counted beside them", () => {
    const usage = { ...used({ meter: "picture", quantity: 1 }), promptTokens: 100, completionTokens: 1_000 };
    expect(chargeOf("gpt-image-1", usage).quota).toBe(100 * 2.5 + 1_000 * 20);
    expect(chargeOf("gpt-4o-transcribe", { ...usage, meters: [{ meter: "second", quantity: 9 }] }).quota).toBe(
      10_125 - 5_000,
    );
  });

  test("each built-in price is a number above 0 of a key that the option takes as well", () => {
    for (const model of builtInModels()) {
      for (const [key, usd] of Object.entries(builtInTerms(model)?.meters ?? {})) {
        expect([model, isMeterKey(key), usd > 0 && usd < 10]).toEqual([model, true, true]);
      }
    }
  });
});

describe("which price is in force", () => {
  const seconds = used({ meter: "second", quantity: 60 });

  test("the operator's meters, else the operator's price per call or ratio, else the built-in meters", () => {
    const ModelMeterPrices = { "whisper-1": { second: 0.01 }, mine: { second: 1 }, "gpt-4o": { search: 0.01 } };
    expect(chargeOf("whisper-1", seconds, { ModelMeterPrices }).quota).toBe(300_000);
    expect(chargeOf("whisper-1", seconds, { ModelPrice: { "whisper-1": 0.5 }, ModelMeterPrices }).quota).toBe(250_000);
    expect(resolve("mine", { ModelMeterPrices })).toMatchObject({ modelRatio: 0, metersOnly: true });
    expect(resolve("gpt-4o", { ModelMeterPrices })).toMatchObject({ modelRatio: 1.25, meterPrices: { search: 0.01 } });
    expect(resolve("gpt-4o", { ModelMeterPrices }).metersOnly).toBeUndefined();
  });

  test("a ratio of 0 makes a model free that has a built-in price per call", () => {
    const perCall = builtInModels().filter((model) => builtInTerms(model)?.price !== undefined);
    expect(perCall.length).toBeGreaterThan(0);
    for (const model of perCall) {
      const usage = { ...NO_USAGE, promptTokens: 10 };
      expect([model, chargeOf(model, usage, { ModelRatio: { [model]: 0 } }).quota]).toEqual([model, 0]);
    }
  });

  test("a price per call is charged for each picture", () => {
    const pictures = used({ meter: "picture", quantity: 3 });
    expect(chargeOf("mj", pictures, { ModelPrice: { mj: 0.1 } })).toMatchObject({
      quota: 150_000,
      lines: [{ kind: "call", quantity: 3 }],
    });
    expect([callsOf(undefined), callsOf([{ meter: "second", quantity: 99 }])]).toEqual([1, 1]);
  });

  test("an operator's ratio counts a character as a token, a minute as 1,000 and a picture as $0.0025 (contract §5.2)", () => {
    const ModelRatio = { "whisper-1": 15, tts: 7.5, drawn: 8 };
    expect(chargeOf("whisper-1", seconds, { ModelRatio }).quota).toBe(15_000);
    expect(chargeOf("tts", used({ meter: "character", quantity: 100 }), { ModelRatio }).quota).toBe(750);
    expect(chargeOf("drawn", used({ meter: "picture", quantity: 2 }), { ModelRatio }).quota).toBe(20_000);
  });

  test("B104 a meter without a price is named, and a model without any price of tokens says so", () => {
    const search = [{ meter: "search", quantity: 1 }] as const;
    expect(unpricedMeter(search, resolve("whisper-1"), false)).toBe("search");
    expect(unpricedMeter(search, resolve("gpt-4o"), false)).toBe("search");
    expect(unpricedMeter(search, resolve("gpt-4o"), true)).toBeNull();
    expect(unpricedMeter(search, resolve("rerank-v3.5"), true)).toBeNull();
    expect(priceUsage({ ...used(...search), promptTokens: 5 }, resolve("whisper-1")).unpriced).toEqual([
      "search",
      "token",
    ]);
    expect(priceUsage({ ...NO_USAGE, promptTokens: 5 }, resolve("whisper-1"))).toMatchObject({
      quota: 0,
      unpriced: ["token"],
    });
  });

  test("a price that twelve decimal places cannot hold is none, and never nothing", () => {
    expect([{ page: 0 }, { page: 1e-10 }, { page: 1e-13 }, { page: 1e7 }, { page: -1 }].map(isMeterPrices)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  test("names of Object.prototype are no models and no meters", () => {
    expect(resolvePrice("constructor", 1, { ...options, ModelMeterPrices: {} })).toBeNull();
    expect(meterPrice({}, { meter: "constructor" as "page" })).toBeUndefined();
  });
});

describe("costs by meters", () => {
  const usage = used({ meter: "second", quantity: 100 });

  test("a factor of the list price, the channel's own price, and nothing where the factor is 0", () => {
    const costOf = (terms: Parameters<typeof resolveCost>[1], model = "whisper-1") => {
      const row = resolveCost([model], terms, options);
      return row && costUsage(usage, row);
    };
    expect(costOf({ factor: 0.5, prices: {} })?.quota).toBe(2_500);
    expect(costOf({ factor: 1, prices: { "whisper-1": { meters: { second: 0.00001 } } } })?.quota).toBe(500);
    expect(costOf({ factor: 0, prices: {} }, "unknown")).toMatchObject({ quota: 0 });
    expect(costOf({ factor: 0, prices: {} }, "unknown")?.unpriced).toBeUndefined();
  });

  test("unknown is never 0: a channel's price of something else says nothing of a meter", () => {
    const unpricedBy = (price: object) => {
      const row = resolveCost(["whisper-1"], { factor: 1, prices: { "whisper-1": price } }, options);
      return row && costUsage(usage, row).unpriced;
    };
    expect(unpricedBy({ input: 1 })).toEqual(["second"]);
    expect(unpricedBy({ meters: { page: 1 } })).toEqual(["second"]);
    expect(unpricedBy({ per_call: 1 })).toBeUndefined();
    const row = resolveCost(["m"], { factor: 1, prices: { m: { meters: { second: 1 } } } }, options);
    expect(row && costUsage({ ...NO_USAGE, promptTokens: 9 }, row).unpriced).toEqual(["token"]);
  });
});

const amount = fc.oneof(
  fc.integer({ min: 0, max: 1_000 }),
  fc.double({ min: 0, max: 5_000, noNaN: true }),
  fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, -1, 1e300, 2 ** 31),
);
const variant = fc.constantFrom(undefined, "a", "a:hd", "b", "b:hd");
const meter: fc.Arbitrary<MeterUsage> = fc
  .record({ meter: fc.constantFrom(...METERS), quantity: amount, variant })
  .map(({ variant: given, ...rest }) => (given === undefined ? rest : { ...rest, variant: given }));
const usd = fc.oneof(
  fc.integer({ min: 0, max: 300 }).map((units) => units / 10_000),
  fc.integer({ min: 0, max: 5e10 }).map((units) => units / 1e10),
);
const keys = METERS.flatMap((name) => ["", ":a", ":a:hd", ":b"].map((rest) => `${name}${rest}`));
const meterPrices = fc.dictionary(fc.constantFrom(...keys), usd, { maxKeys: 12 });
const ratio = fc.integer({ min: 0, max: 40_000 }).map((units) => units / 10_000);
const price: fc.Arbitrary<PriceRow> = fc
  .record({ modelRatio: ratio, completionRatio: ratio, groupRatio: ratio, meterPrices: fc.option(meterPrices) })
  .map(({ meterPrices: given, ...rest }) => ({ ...onePrice, ...rest, ...(given ? { meterPrices: given } : {}) }));
const usage: fc.Arbitrary<BilledUsage> = fc
  .record({
    meters: fc.array(meter, { maxLength: 4 }),
    promptTokens: fc.integer({ min: 0, max: 100_000 }),
    completionTokens: fc.integer({ min: 0, max: 100_000 }),
  })
  .map((given) => ({ ...NO_USAGE, ...given }));

describe("for any usage and price", () => {
  test("lines are whole, not negative, within one unit of their arithmetic, and add up to the charge", () => {
    fc.assert(
      fc.property(usage, price, (given, row) => {
        const { quota, lines } = priceUsage(given, row);
        expect(Number.isSafeInteger(quota) && quota >= 0 && quota <= 1e13).toBe(true);
        expect(lines.reduce((sum, line) => sum + line.amount, 0)).toBe(quota);
        for (const { quantity, unitPrice, amount: whole } of lines) {
          expect(Number.isSafeInteger(whole) && whole >= 0).toBe(true);
          const exact = quantity * unitPrice * row.groupRatio;
          if (quota < 1e13) expect(Math.abs(whole - exact)).toBeLessThanOrEqual(1 + 1e-6 + exact * 1e-9);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("the bound is never below the charge for what is within it, whichever variant and tokens are reported", () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(usage, price, share, fc.boolean(), fc.boolean(), (most, row, part, isOpen, isCounted) => {
        const bound = isOpen
          ? most.meters?.map(({ meter: name, quantity }) => ({ meter: name, quantity }))
          : most.meters;
        const meters = most.meters?.map((each) => ({ ...each, quantity: each.quantity * part }));
        const tokens = isCounted ? {} : { promptTokens: 0, completionTokens: 0 };
        const { quota } = priceUsage({ ...most, ...tokens, ...(meters ? { meters } : {}) }, row);
        const prompt = { ...NO_PROMPT, promptTokens: most.promptTokens };
        expect(priceBound(prompt, most.completionTokens, row, bound)).toBeGreaterThanOrEqual(quota);
      }),
      { numRuns: 3_000 },
    );
  });

  test("more of a meter never costs less, and what an amount pays for costs no more than it", () => {
    fc.assert(
      fc.property(usage, meter, price, fc.integer({ min: 0, max: 1_000_000 }), (given, other, row, quota) => {
        const more = { ...given, meters: [...(given.meters ?? []), other] };
        const isSame = given.meters?.length === 0 && given.promptTokens + given.completionTokens === 0;
        if (!isSame) expect(priceUsage(more, row).quota).toBeGreaterThanOrEqual(priceUsage(given, row).quota);
        const prompt = { ...NO_PROMPT, promptTokens: given.promptTokens };
        const tokens = affordableTokens(quota, prompt, row, given.meters);
        if (tokens > 0 && Number.isFinite(tokens)) {
          expect(priceBound(prompt, tokens, row, given.meters)).toBeLessThanOrEqual(quota);
        }
      }),
    );
  });

  test("what an amount pays for is found at once, also where a quota is millions of tokens", () => {
    const row = { ...onePrice, modelRatio: 0.001, groupRatio: 0.0001, meterPrices: { second: 0.01 } };
    const prompt = { ...NO_PROMPT, promptTokens: 14_000_000 };
    const begunAt = performance.now();
    const tokens = affordableTokens(100, prompt, row);
    expect(performance.now() - begunAt).toBeLessThan(50);
    expect([priceBound(prompt, tokens, row), priceBound(prompt, tokens + 1, row)]).toEqual([100, 101]);
  });

  test("anything used that is not free costs at least 1", () => {
    const one = { ...onePrice, meterPrices: { character: 0.0000001 } };
    expect(priceUsage(used({ meter: "character", quantity: 1 }), one).quota).toBe(1);
    expect(priceUsage(used({ meter: "character", quantity: 1 }), { ...one, groupRatio: 0 }).quota).toBe(0);
    expect(priceUsage(used({ meter: "character", quantity: 0 }), one)).toEqual({ quota: 0, lines: [] });
  });
});
