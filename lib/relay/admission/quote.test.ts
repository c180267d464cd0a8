import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { affordableTokens, priceBound, priceUsage } from "@/lib/billing/price";
import type { PriceRow } from "@/lib/billing/types";
import type { MeterUsage } from "@/lib/meters";
import { capFor, quoteNeed, quoteRequest, tokensFor, withoutPrompt } from "./quote";

const ratio = fc.oneof(
  fc.constantFrom(0, 0.075, 0.5, 1, 4, 37.5),
  fc.integer({ min: 0, max: 8_000 }).map((n) => n / 100),
);
const prices = fc.record<PriceRow>({
  modelRatio: ratio,
  completionRatio: ratio,
  cacheRatio: fc.constantFrom(0.1, 0.5, 1),
  createCacheRatio: fc.constantFrom(1, 1.25),
  audioRatio: ratio,
  audioCompletionRatio: ratio,
  modelPrice: fc.constantFrom(null, null, null, 0, 0.04),
  groupRatio: fc.constantFrom(0, 0.5, 1, 1.7),
  quotaPerUnit: fc.constant(500_000),
});
const needs = fc.record({
  prompt: fc.record({ promptTokens: fc.nat(300_000), audioPromptTokens: fc.nat(5_000), writesAudio: fc.boolean() }),
  completionTokensMax: fc.option(fc.integer({ min: 1, max: 200_000 })),
  choices: fc.integer({ min: 1, max: 8 }),
  asksToThink: fc.boolean(),
});
const limits = fc.record({
  output: fc.integer({ min: 1, max: 200_000 }),
  thinks: fc.constantFrom("never" as const, "asked" as const, "always" as const),
  isKnown: fc.boolean(),
});
const terms = fc.record({ price: prices, limits });

test("the rest of a stream reserves no prompt, neither what the body shows nor what it does not, which is still believed", () => {
  const price: PriceRow = {
    ...{ modelRatio: 1.25, completionRatio: 4, cacheRatio: 1, createCacheRatio: 1, audioRatio: 1 },
    ...{ audioCompletionRatio: 1, modelPrice: null, groupRatio: 1, quotaPerUnit: 500_000 },
  };
  const hidden = {
    ...{ rounds: 11, roundsLeast: 1, roundTokens: null, storedTokens: 0, maySound: false, predictedBytes: 0 },
  };
  const prompt = { promptTokens: 5_000, audioPromptTokens: 0, writesAudio: false };
  const need = { prompt, completionTokensMax: 1_000, choices: 1, asksToThink: false };
  const terms = { price, limits: { output: 16_384, thinks: "never" as const, isKnown: true } };
  const whole = quoteNeed({ ...need, hidden }, true, terms, 0, 128_000);
  const rest = withoutPrompt(whole, true, 0);
  const ofShown = withoutPrompt(quoteNeed(need, true, terms, 0), true, 0);
  expect(whole.least).toBeGreaterThan(128_000);
  expect(rest.prompt.promptTokens).toBe(0);
  expect([rest.least, rest.fair, rest.amount, rest.most]).toEqual([
    ...[ofShown.least, ofShown.fair, ofShown.amount, ofShown.most],
  ]);
  expect(rest.hidden).toEqual(whole.hidden);
});

describe("a quote of a request with meters", () => {
  const options = {
    ModelRatio: {},
    CompletionRatio: {},
    ModelPrice: {},
    CacheRatio: {},
    ModelMeterPrices: { both: { search: 0.01 } },
    QuotaPerUnit: 500_000,
    SelfUseModeEnabled: false,
    ModelMaxOutput: {},
    DefaultMaxOutput: 16_384,
    PreConsumedQuota: 500,
  };
  const quote = (model: string, meters: readonly MeterUsage[] | null, promptTokens = 0) =>
    quoteRequest(
      {
        model,
        isStream: true,
        need: {
          prompt: { promptTokens, audioPromptTokens: 0, writesAudio: false },
          ...(meters ? { meters } : {}),
          completionTokensMax: 0,
          choices: 1,
          asksToThink: false,
        },
      },
      { groupRatio: 1 },
      { acceptsUnpriced: false },
      { options },
    );

  test("reserves what the meters can cost at most, all of it before the upstream is asked", () => {
    const { amount, least, fair, most } = quote("dall-e-3", [{ meter: "picture", quantity: 2 }]);
    expect([amount, least, fair, most]).toEqual([120_000, 120_000, 120_000, 120_000]);
    expect(quote("dall-e-3", [{ meter: "picture", quantity: 2, variant: "1024x1024:standard" }]).amount).toBe(40_000);
    expect(quote("tts-1", [{ meter: "character", quantity: 4_096 }], 900).amount).toBe(30_720);
  });

  test("B104 a meter without a price is refused and named, and so are tokens of a model that has only meters", () => {
    const refused = (model: string, ...given: [readonly MeterUsage[] | null, number?]) => {
      try {
        quote(model, ...given);
        return null;
      } catch (error) {
        return error;
      }
    };
    const error = (message: string) => ({
      status: 400,
      wire: { code: "model_price_error", message: expect.stringContaining(message) },
    });
    expect(refused("tts-1", [{ meter: "second", quantity: 1 }])).toMatchObject(error("no price per second"));
    expect(refused("both", [{ meter: "page", quantity: 1 }])).toMatchObject(error("no price per page"));
    expect(refused("tts-1", null, 100)).toMatchObject(error("no price of tokens"));
    expect(refused("no-such-model", [{ meter: "second", quantity: 1 }])).toMatchObject(error("no price"));
    expect(refused("gpt-image-1", [{ meter: "picture", quantity: 1 }], 100)).toBeNull();
  });
});

describe("a quote", () => {
  test("asks for no more than the whole bound and no less than a few tokens", () => {
    fc.assert(
      fc.property(needs, fc.boolean(), terms, fc.nat(10_000), (need, isStream, given, expected) => {
        const { least, fair, amount, most } = quoteNeed(need, isStream, given, expected);
        expect(least).toBeLessThanOrEqual(fair);
        expect(fair).toBeLessThanOrEqual(amount);
        expect(amount).toBeLessThanOrEqual(most);
        expect(least).toBeGreaterThanOrEqual(priceBound(need.prompt, 0, given.price));
      }),
    );
  });

  test("whatever was reserved, an answer that keeps to its cap costs no more", () => {
    fc.assert(
      fc.property(needs, terms, fc.double({ min: 0, max: 1, noNaN: true }), (need, given, share) => {
        const quote = quoteNeed(need, false, given, 500);
        const held = quote.least + Math.floor(share * (quote.amount - quote.least));
        const cap = capFor(held, quote);
        if (!cap) throw new Error("a whole answer has a cap");
        const perChoice = Math.min(cap.perChoice, cap.ofModel);
        const { promptTokens, audioPromptTokens, writesAudio } = need.prompt;
        const completionTokens = perChoice * need.choices;
        const usage = {
          promptTokens: promptTokens + audioPromptTokens,
          completionTokens,
          cachedTokens: 0,
          cacheWriteTokens: 0,
          audioPromptTokens,
          audioCompletionTokens: writesAudio ? completionTokens : 0,
          estimated: false,
        };
        // One token per choice is always let through; a balance of less is refused before.
        if (cap.perChoice > 1) expect(priceUsage(usage, given.price).quota).toBeLessThanOrEqual(held + 1);
        if (need.completionTokensMax !== null && held < quote.most) {
          expect(perChoice).toBeLessThanOrEqual(Math.max(need.completionTokensMax, 1));
        }
      }),
      { numRuns: 500 },
    );
  });

  test("as many tokens as an amount pays for are found, and no more", () => {
    fc.assert(
      fc.property(needs, prices, fc.nat(5_000_000), ({ prompt }, price, more) => {
        const amount = priceBound(prompt, 0, price) + more;
        const tokens = affordableTokens(amount, prompt, price);
        if (tokens === Number.POSITIVE_INFINITY) {
          expect(priceBound(prompt, 2_000_000, price)).toBe(Math.max(priceBound(prompt, 1, price)));
          return;
        }
        fc.pre(tokens < 2 ** 31 - 2);
        expect(priceBound(prompt, tokens, price)).toBeLessThanOrEqual(Math.max(amount, priceBound(prompt, 0, price)));
        expect(priceBound(prompt, tokens + 2, price)).toBeGreaterThanOrEqual(amount);
      }),
      { numRuns: 500 },
    );
  });

  test("only a stream whose tokens all show is followed; what is thought or spoken needs a cap", () => {
    const need = {
      prompt: { promptTokens: 10, audioPromptTokens: 0, writesAudio: false },
      completionTokensMax: null,
      choices: 1,
      asksToThink: false,
    };
    const price = { ...freePrice, modelRatio: 1, completionRatio: 2 };
    const quote = (more: object, thinks: "never" | "asked" | "always", isStream = true) =>
      quoteNeed({ ...need, ...more }, isStream, { price, limits: { output: 9_000, thinks, isKnown: true } }, 0);
    expect(quote({}, "never").isMetered).toBe(true);
    expect(quote({}, "asked").isMetered).toBe(true);
    expect(quote({ asksToThink: true }, "asked").isMetered).toBe(false);
    expect(quote({}, "always").isMetered).toBe(false);
    expect(quote({}, "never", false).isMetered).toBe(false);
    expect(quote({ prompt: { ...need.prompt, writesAudio: true } }, "never").isMetered).toBe(false);
    expect(capFor(1_000, quote({}, "never"))).toBeNull();
    expect(tokensFor(1_010, quote({}, "always"))).toBe(498);
  });
});

const freePrice: PriceRow = {
  modelRatio: 0,
  completionRatio: 1,
  cacheRatio: 1,
  createCacheRatio: 1.25,
  audioRatio: 1,
  audioCompletionRatio: 1,
  modelPrice: null,
  groupRatio: 1,
  quotaPerUnit: 500_000,
};
