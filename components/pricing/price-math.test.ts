import { describe, expect, test } from "vitest";
import { priceUsage, resolvePrice } from "@/lib/billing/price";
import type { PricedModel } from "@/lib/pricing/types";
import { chooseModels, groupPrice, type PriceFilter, priceText, ratioText } from "./price-math";

const model = (changes: Partial<PricedModel>): PricedModel => ({
  modelName: "gpt-4o",
  perCall: false,
  modelRatio: 1.25,
  completionRatio: 4,
  cacheRatio: 0.5,
  modelPrice: 0,
  groups: ["default"],
  channelTypes: [1],
  facts: {},
  ...changes,
});
const money = (quotaPerUnit: number) => ({ inCurrency: true, quotaPerUnit, symbol: "￥" });

describe("prices on the price page", () => {
  test("1M tokens cost ratio × group ratio × 1,000,000 / quota per unit (B298, B299, B300)", () => {
    const half = groupPrice(model({}), 0.5, 500_000);
    expect([priceText(half.prompt, money(500_000)), priceText(half.completion, money(500_000))]).toEqual([
      "￥1.25",
      "￥5",
    ]);
    // With a quota per unit of 1,000,000 the price equals the product of the ratios.
    expect(priceText(groupPrice(model({}), 0.5, 1_000_000).prompt, money(1_000_000))).toBe("￥0.625");
  });

  test("they are what the relay charges for a million tokens (B298)", () => {
    const options = {
      ModelRatio: { "gpt-4o": 1.25 },
      CompletionRatio: { "gpt-4o": 4 },
      ModelPrice: {},
      CacheRatio: {},
      QuotaPerUnit: 500_000,
      SelfUseModeEnabled: false,
    };
    const price = resolvePrice("gpt-4o", 0.5, options);
    if (!price) throw new Error("no price");
    const usage = {
      promptTokens: 1_000_000,
      completionTokens: 0,
      cachedTokens: 0,
      cacheWriteTokens: 0,
      audioPromptTokens: 0,
      audioCompletionTokens: 0,
      estimated: false,
    };
    expect(priceUsage(usage, price).quota).toBe(groupPrice(model({}), 0.5, 500_000).prompt);
  });

  test("a call costs its price times the group ratio (B112)", () => {
    const call = groupPrice(model({ perCall: true, modelPrice: 0.1 }), 2, 500_000).call;
    expect(priceText(call, money(500_000))).toBe("￥0.2");
    const second = { symbol: "$", rate: 0.5 };
    expect(priceText(call, { ...money(500_000), second })).toBe("￥0.2 (≈ $0.1)");
  });

  test("completion ratios have three decimals at most (B116)", () => {
    expect([ratioText(1.33333), ratioText(4)]).toEqual(["1.333", "4"]);
  });
});

describe("choosing models", () => {
  const models = [
    model({ modelName: "gpt-4o", modelRatio: 1.25 }),
    model({ modelName: "Claude-X", modelRatio: 3, channelTypes: [14], groups: ["vip"] }),
    model({ modelName: "mj_imagine", perCall: true, modelPrice: 0.1 }),
  ];
  const all: PriceFilter = { search: "", vendor: null, billing: null, input: null, onlyAvailable: false };
  const names = (change: Partial<PriceFilter>, sort: Parameters<typeof chooseModels>[2] = "usual") =>
    chooseModels(models, { ...all, ...change }, sort, "default").map(({ modelName }) => modelName);

  test("search is part of the name in any case (B110)", () => {
    expect(names({ search: " claude" })).toEqual(["Claude-X"]);
  });

  test("filters by vendor, billing type and availability", () => {
    expect(names({ vendor: 14 })).toEqual(["Claude-X"]);
    expect(names({ billing: "call" })).toEqual(["mj_imagine"]);
    expect(names({ onlyAvailable: true })).toEqual(["gpt-4o", "mj_imagine"]);
  });

  test("the usual order is the server's; by price, calls stand behind (B117)", () => {
    expect(names({})).toEqual(["gpt-4o", "Claude-X", "mj_imagine"]);
    expect(names({}, "dear")).toEqual(["Claude-X", "gpt-4o", "mj_imagine"]);
    expect(names({}, "cheap")).toEqual(["gpt-4o", "Claude-X", "mj_imagine"]);
  });

  test("by context and longest answer, largest first; what is unknown comes last and matches no kind of content", () => {
    const known = [
      model({ modelName: "unknown" }),
      model({ modelName: "short", facts: { contextTokens: 8_192, maxOutputTokens: 4_096, input: ["text"] } }),
      model({ modelName: "long", facts: { contextTokens: 400_000, maxOutputTokens: 100, input: ["text", "image"] } }),
    ];
    const order = (sort: "context" | "output") =>
      chooseModels(known, all, sort, "default").map(({ modelName }) => modelName);
    expect([order("context"), order("output")]).toEqual([
      ["long", "short", "unknown"],
      ["short", "long", "unknown"],
    ]);
    const taking = chooseModels(known, { ...all, input: "image" }, "usual", "default");
    expect(taking.map(({ modelName }) => modelName)).toEqual(["long"]);
  });
});
