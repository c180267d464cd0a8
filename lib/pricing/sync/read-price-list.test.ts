import { describe, expect, test } from "vitest";
import { builtInTerms } from "@/lib/billing/built-in-terms";
import list from "@/lib/billing/default-prices.json" with { type: "json" };
import { defaultOptions } from "@/lib/option/registry";
import { comparePrices } from "./compare-prices";
import { ENTRIES_MAX, readPriceList } from "./read-price-list";

const read = (value: unknown) => readPriceList(typeof value === "string" ? value : JSON.stringify(value));
const offered = (value: unknown) => Object.fromEntries(read(value).offers.map(({ model, price }) => [model, price]));
const reasons = (value: unknown) => Object.fromEntries(read(value).refused.map(({ model, reason }) => [model, reason]));
const tokens = (
  input: number,
  output: number | null,
  cached: number | null = null,
  cacheWrite: number | null = null,
) => ({
  kind: "tokens",
  input,
  output,
  cached,
  cacheWrite,
});
const litellm = (entries: Record<string, unknown>) => ({
  gpt: { litellm_provider: "openai", mode: "chat", input_cost_per_token: 2.5e-6, output_cost_per_token: 1e-5 },
  ...entries,
});

describe("formats", () => {
  test("LiteLLM: USD per token, with the cache", () => {
    const claude = {
      litellm_provider: "anthropic",
      mode: "chat",
      input_cost_per_token: 3e-6,
      output_cost_per_token: 1.5e-5,
      cache_read_input_token_cost: 3e-7,
      cache_creation_input_token_cost: 3.75e-6,
      max_input_tokens: 200_000,
      supports_vision: true,
    };
    expect(read(litellm({ claude })).format).toBe("litellm");
    expect(offered(litellm({ claude }))).toEqual({ gpt: tokens(2.5, 10), claude: tokens(3, 15, 0.3, 3.75) });
  });

  test("LiteLLM: what has no price of tokens, or another beside it, is refused, never free", () => {
    const list = litellm({
      sample_spec: { input_cost_per_token: 0, output_cost_per_token: 0 },
      vector: { mode: "embedding", input_cost_per_image: 0.0001 },
      pixels: { mode: "image_generation", input_cost_per_pixel: 1e-8 },
      letters: { mode: "chat", input_cost_per_character: 1e-6, output_cost_per_character: 1e-6 },
      unclear: { mode: "audio_transcription", input_cost_per_second: 0.1, output_cost_per_second: 0.2 },
      steps: { mode: "chat", tiered_pricing: [{ input_cost_per_token: 1e-6 }] },
      half: { mode: "chat", input_cost_per_token: 1e-6 },
      vectors: { mode: "embedding", input_cost_per_token: 1e-7 },
      upside: { mode: "chat", input_cost_per_token: 0, output_cost_per_token: 1e-6 },
      gift: { mode: "chat", input_cost_per_token: 0, output_cost_per_token: 0 },
      nothing: "a text",
    });
    expect(reasons(list)).toEqual({
      sample_spec: "sample",
      vector: "otherUnit",
      pixels: "otherUnit",
      letters: "otherUnit",
      unclear: "otherUnit",
      steps: "inputMissing",
      half: "outputMissing",
      upside: "outputWithoutInput",
      nothing: "shape",
    });
    expect(offered(list)).toMatchObject({ vectors: tokens(0.1, null), gift: tokens(0, 0) });
  });

  test("LiteLLM: prices of seconds, characters, pictures, searches and pages, where nothing else has one", () => {
    const list = litellm({
      "whisper-1": { mode: "audio_transcription", input_cost_per_second: 0.0001, output_cost_per_second: 0.0001 },
      "tts-1": { mode: "audio_speech", input_cost_per_character: 1.5e-5 },
      drawn: { mode: "image_generation", input_cost_per_image: 0, output_cost_per_image: 0.06 },
      rerank: { mode: "rerank", input_cost_per_query: 0.002, input_cost_per_token: 0, output_cost_per_token: 0 },
      ocr: { mode: "ocr", ocr_cost_per_page: 0.004, annotation_cost_per_page: 0.005 },
      film: { mode: "video_generation", input_cost_per_token: 0, output_cost_per_second: 0.1 },
      heard: {
        mode: "audio_transcription",
        input_cost_per_token: 1e-6,
        output_cost_per_token: 5e-6,
        input_cost_per_second: 5e-5,
      },
    });
    const meters = (prices: object) => ({ kind: "meters", meters: prices });
    expect(offered(list)).toMatchObject({
      "whisper-1": meters({ second: 0.0001 }),
      "tts-1": meters({ character: 0.000015 }),
      drawn: meters({ picture: 0.06 }),
      rerank: meters({ search: 0.002 }),
      ocr: meters({ page: 0.004 }),
      film: meters({ second: 0.1 }),
      heard: tokens(1, 5),
    });
    expect(
      read(list)
        .offers.filter(({ isPartial }) => isPartial)
        .map(({ model }) => model),
    ).toEqual(["ocr", "heard"]);
    const same = comparePrices(read(list).offers, defaultOptions(), new Set());
    expect(same.changes.map(({ model }) => model)).not.toContain("whisper-1");
  });

  test("prices of meters in Weir's export and on its price page; bad ones are refused, never left out", () => {
    const models = {
      a: { meters: { picture: 0.04, "picture:big:hd": 0.08 } },
      b: { ratio: 1, completion: 2, meters: { search: 0.01 } },
      c: { meters: { token: 1 } },
      d: { meters: { second: -1 } },
      e: { meters: "x" },
      f: { meters: {} },
      g: { meters: { second: 1e-30 } },
    };
    const doc = { format: "weir-prices", models };
    expect(offered(doc)).toEqual({
      a: { kind: "meters", meters: models.a.meters },
      b: { ...tokens(2, 4), meters: { search: 0.01 } },
    });
    expect(reasons(doc)).toEqual({ c: "shape", d: "number", e: "number", f: "shape", g: "tooSmall" });
    const row = { model_name: "a", quota_type: 0, model_ratio: 0, completion_ratio: 1, meter_prices: { page: 0.1 } };
    expect(offered({ data: [row] })).toEqual({ a: { kind: "meters", meters: { page: 0.1 } } });
  });

  test("LiteLLM: steps of prices are marked, the first one counts", () => {
    const steep = {
      mode: "chat",
      input_cost_per_token: 1e-6,
      output_cost_per_token: 2e-6,
      input_cost_per_token_above_200k_tokens: 2e-6,
    };
    expect(read(litellm({ steep })).offers.map(({ model, isPartial }) => [model, isPartial])).toEqual([
      ["gpt", false],
      ["steep", true],
    ]);
  });

  test("/api/pricing of a gateway of this family: rows by tokens and by call", () => {
    const row = { enable_groups: ["default"], owner_by: "" };
    const data = [
      {
        ...row,
        model_name: "gpt-4o",
        quota_type: 0,
        model_ratio: 1.25,
        model_price: 0,
        completion_ratio: 4,
        cache_ratio: 0.5,
      },
      { ...row, model_name: "mj", quota_type: 1, model_ratio: 0, model_price: 0.1, completion_ratio: 0 },
      { ...row, model_name: "unset", quota_type: 0, model_ratio: 37.5, completion_ratio: 1 },
      { ...row, model_name: "no-ratio", quota_type: 0, completion_ratio: 3 },
      { ...row, model_name: "no-price", quota_type: 1 },
      { ...row, model_name: "no-type", model_ratio: 1 },
      { ...row, model_ratio: 1 },
    ];
    const answer = { success: true, data, group_ratio: { default: 1 } };
    expect(read(answer).format).toBe("pricing");
    expect(offered(answer)).toEqual({ "gpt-4o": tokens(2.5, 10, 1.25), mj: { kind: "call", call: 0.1 } });
    expect(reasons(answer)).toEqual({
      unset: "unpriced",
      "no-ratio": "inputMissing",
      "no-price": "inputMissing",
      "no-type": "shape",
      "?": "shape",
    });
  });

  test("/api/ratio_config: maps, with or without the envelope; a fixed price comes first", () => {
    const maps = {
      model_ratio: { "gpt-4o": 1.25, mj: 9, plain: 1 },
      completion_ratio: { "gpt-4o": 4, alone: 2 },
      cache_ratio: { "gpt-4o": 0.5 },
      model_price: { mj: 0.1 },
    };
    const expected = { "gpt-4o": tokens(2.5, 10, 1.25), mj: { kind: "call", call: 0.1 }, plain: tokens(2, null) };
    for (const answer of [maps, { success: true, message: "", data: maps }]) {
      expect(read(answer).format).toBe("ratios");
      expect(offered(answer)).toEqual(expected);
      expect(reasons(answer)).toEqual({ alone: "inputMissing" });
    }
  });

  test("Weir's export, in the unit of its site; and the built-in list, which changes nothing", () => {
    const models = {
      a: { ratio: 1, completion: 3, cache: 0.1, create_cache: 2 },
      b: { price: 0.2 },
      c: { completion: 2 },
    };
    const doc = { format: "weir-prices", quota_per_unit: 1_000_000, models };
    expect(offered(doc)).toEqual({ a: tokens(1, 3, 0.1, 2), b: { kind: "call", call: 0.2 } });
    expect(reasons(doc)).toEqual({ c: "inputMissing" });
    const builtIn = read(list);
    expect([builtIn.format, builtIn.refused]).toEqual(["weir", []]);
    const { changes } = comparePrices(builtIn.offers, defaultOptions(), new Set());
    // Of these the list has no better unit; see lib/billing/built-in-terms.ts.
    const isBetterKnown = (model: string) =>
      builtInTerms(model)?.meters !== undefined || model.startsWith("gpt-image-");
    expect(changes.map(({ model }) => model).filter((model) => !isBetterKnown(model))).toEqual([]);
  });
});

describe("attacks", () => {
  const maps = (text: string) => `{"model_ratio":{${text}},"completion_ratio":{}}`;

  test("prices that are no numbers, negative, or beyond reason are refused one by one", () => {
    const bad = '"a":"1","b":-1,"c":1e300,"j":1e308,"d":1e999,"e":true,"f":[1],"g":{},"h":1e-30,"i":null,"ok":1';
    expect(reasons(maps(bad))).toEqual({
      a: "number",
      b: "number",
      c: "tooHigh",
      d: "number",
      e: "number",
      f: "number",
      g: "number",
      h: "tooSmall",
      i: "inputMissing",
      j: "number",
    });
    expect(Object.keys(offered(maps(bad)))).toEqual(["ok"]);
    for (const text of ["NaN", "Infinity", "-Infinity", "01"])
      expect(() => read(maps(`"a":${text}`))).toThrow("priceListNotJson");
  });

  test("names of Object.prototype, commas, control characters and long names are refused", () => {
    const names = ["__proto__", "constructor", "toString", "a,b", "a\\u0000b", " a", "", "x".repeat(256)];
    const found = read(maps(names.map((name) => `"${name}":1`).join(",")));
    expect(found.offers).toEqual([]);
    expect(found.refused.map(({ reason }) => reason)).toEqual(names.map(() => "name"));
    expect(found.refused.every(({ model }) => model.length <= 80)).toBe(true);
    expect(({} as Record<string, unknown>)["1"]).toBeUndefined();
    expect(offered('{"__proto__":{"model_ratio":{"a":1}},"model_ratio":{"b":1}}')).toEqual({ b: tokens(2, null) });
  });

  test("two prices of one model: none is taken", () => {
    const row = (model_ratio: number) => ({ model_name: "a", quota_type: 0, model_ratio, completion_ratio: 2 });
    expect(read({ data: [row(1), row(2), row(3)] })).toMatchObject({
      offers: [],
      refused: [{ model: "a", reason: "duplicate" }],
    });
  });

  test.each([
    ["HTML", "<!doctype html><title>Sign in</title>", "priceListNotJson"],
    ["nothing", "", "priceListNotJson"],
    ["a list", "[1,2]", "priceListUnknown"],
    ["null", "null", "priceListUnknown"],
    ["an empty object", "{}", "priceListUnknown"],
    ["an error in the envelope", '{"success":false,"message":"no"}', "priceListUnknown"],
    ["an unknown shape", '{"models":{"a":1}}', "priceListUnknown"],
    ["deep nesting that is closed", `{"data":${"[".repeat(200_000)}${"]".repeat(200_000)}}`, null],
    ["deep nesting that is not", "[".repeat(1_000_000), "priceListNotJson"],
    ["deep objects", `${'{"model_ratio":'.repeat(100_000)}1${"}".repeat(100_000)}`, null],
  ])("%s", (_what, text, error) => {
    if (error) expect(() => read(text)).toThrow(error);
    else expect(read(text).offers).toEqual([]);
  });

  test("100,000 entries are refused before they are read", () => {
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`m${index}`, 1]));
    expect(() => read({ model_ratio: many })).toThrow("priceListTooLong");
    expect(() => read({ data: Object.values(many) })).toThrow("priceListTooLong");
    const most = Object.fromEntries(Array.from({ length: ENTRIES_MAX }, (_, index) => [`m${index}`, 1]));
    expect(read({ model_ratio: most }).offers).toHaveLength(ENTRIES_MAX);
  });
});
