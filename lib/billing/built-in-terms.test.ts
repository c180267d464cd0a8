// The built-in prices are held against the two price lists that they are made from, line by line, so that no model is
// lost and no price is changed on the way. What is known of the models has an entry for each of them.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { builtInPrice, pricedModels } from "./built-in-terms";
import { contextWindow } from "./context-window";
import { factsOf, modelsWithFacts } from "./model-facts";
import { limitsOf } from "./model-limits";

type Line = Record<string, string>;

function readLines(file: string): Line[] {
  const text = readFileSync(new URL(`sources/${file}`, import.meta.url), "utf8").trim();
  const [header = [], ...lines] = text.split(/\r?\n/).map(cellsOf);
  return lines.map((cells) => Object.fromEntries(header.map((name, at) => [name, cells[at] ?? ""])));
}

function cellsOf(line: string): string[] {
  const cells: string[] = [""];
  let isQuoted = false;
  for (const character of line) {
    if (character === '"') isQuoted = !isQuoted;
    else if (character === "," && !isQuoted) cells.push("");
    else cells.push(`${cells.pop() ?? ""}${character}`);
  }
  return cells;
}

const prices = readLines("model_prices.csv");
const ratios = readLines("default_ratios.csv");
const inPrices = new Set(prices.map(({ model }) => model));
/** Null = the list says nothing. */
const amount = (text = "") => (text === "" ? null : Number(text));
/** Twelve decimal places are kept. */
const near = (value: number) => expect.closeTo(value, 4);

describe("every line of the price lists is a built-in price", () => {
  test("the lists are whole", () => {
    expect([prices.length, ratios.length]).toEqual([302, 195]);
    expect(pricedModels().toSorted()).toEqual(
      [...new Set([...prices, ...ratios].map(({ model }) => model))].toSorted(),
    );
  });

  test.each(prices.map((line) => [line.model ?? "", line] as const))(
    "%s costs what the vendors' list says",
    (model, line) => {
      const built = builtInPrice(model);
      const input = amount(line.input_usd_per_1m);
      const output = amount(line.output_usd_per_1m);
      const cached = amount(line.cached_input_usd_per_1m);
      const call = amount(line.fixed_price_per_call);
      if (line.source?.includes("per audio minute")) {
        // Speech to text is metered at 1,000 tokens a minute.
        expect((built?.ratio ?? 0) * 2).toEqual(near((call ?? 0) * 1_000));
        return;
      }
      expect(built?.price ?? null).toEqual(call === null ? null : near(call));
      expect(built?.ratio === undefined ? null : built.ratio * 2).toEqual(input === null ? null : near(input));
      if (input === null || input === 0) return;
      expect((built?.completion ?? 0) * input).toEqual(near(output ?? 0));
      if (cached !== null) expect((built?.cache ?? 0) * input).toEqual(near(cached));
    },
  );

  test.each(ratios.filter(({ model }) => !inPrices.has(model)).map((line) => [line.model ?? "", line] as const))(
    "%s, which that list does not have, keeps its ratios",
    (model, line) => {
      const built = builtInPrice(model);
      expect(built?.ratio ?? null).toEqual(amount(line.model_ratio));
      expect(built?.price ?? null).toEqual(amount(line.model_price));
      const completion = amount(line.completion_ratio);
      expect(built?.completion ?? null).toEqual(model.startsWith("grok-") && completion === 1 ? 5 : completion);
      expect(built?.cache ?? null).toEqual(amount(line.cache_ratio));
      expect(built?.createCache ?? null).toEqual(amount(line.create_cache_ratio));
    },
  );
});

test("a price that is reckoned back from a ratio is the one of the list, to six digits", () => {
  const reckoned = (part: number | undefined, input: number) => Number(((part ?? 0) * input).toPrecision(6));
  for (const line of prices) {
    const [built, input, cached] = [
      builtInPrice(line.model ?? ""),
      amount(line.input_usd_per_1m),
      amount(line.cached_input_usd_per_1m),
    ];
    if (!built || !input || cached === null) continue;
    expect(reckoned(built.cache, 2 * (built.ratio ?? 0)), line.model).toBe(Number(cached.toPrecision(6)));
  }
});

describe("what is known of the models", () => {
  const options = { ModelMaxOutput: {}, DefaultMaxOutput: 777 };

  test("every priced model has an entry with its vendor, and no other model has one", () => {
    expect(modelsWithFacts().toSorted()).toEqual(pricedModels().toSorted());
    expect(pricedModels().filter((model) => !factsOf(model).vendor)).toEqual([]);
  });

  test("figures are whole numbers above 0, and no answer is longer than the context", () => {
    for (const model of modelsWithFacts()) {
      const { contextTokens, maxOutputTokens } = factsOf(model);
      for (const tokens of [contextTokens, maxOutputTokens]) {
        if (tokens !== undefined) expect(Number.isSafeInteger(tokens) && tokens > 0, model).toBe(true);
      }
      expect(maxOutputTokens ?? 1, model).toBeLessThanOrEqual(contextTokens ?? Number.POSITIVE_INFINITY);
    }
  });

  test("the relay takes them, also under a maker's prefix; what is unknown stays unknown", () => {
    expect([contextWindow("kimi-k2.5"), contextWindow("moonshot/Kimi-K2.5")]).toEqual([262_144, 262_144]);
    expect(limitsOf("glm-4.6", options)).toEqual({ output: 128_000, thinks: "always", isKnown: true });
    expect([contextWindow("hunyuan"), limitsOf("hunyuan", options).output]).toEqual([null, 777]);
    expect(factsOf("no-such-model")).toEqual({});
    expect(factsOf("__proto__")).toEqual({});
  });

  test("the operator's own maximum comes first", () => {
    expect(limitsOf("glm-4.6", { ...options, ModelMaxOutput: { "glm-4.6": 5 } }).output).toBe(5);
  });
});
