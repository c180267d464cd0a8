// Writes default-prices.json from the two price lists in sources/:
//   npm run prices:generate
// model_prices.csv (USD per million tokens) takes precedence; default_ratios.csv (ratios) adds missing models and ratios.
import { readFileSync, writeFileSync } from "node:fs";

function parseCsv(file) {
  const [header, ...lines] = readFileSync(new URL(`sources/${file}`, import.meta.url), "utf8")
    .trim()
    .split(/\r?\n/)
    .map(splitLine);
  return lines.map((cells) => Object.fromEntries(header.map((name, i) => [name, cells[i] ?? ""])));
}

function splitLine(line) {
  return [...line.matchAll(/("((?:[^"]|"")*)"|[^,]*)(,|$)/g)]
    .slice(0, line.endsWith(",") ? undefined : -1)
    .map(([, plain, quoted]) => (quoted === undefined ? plain : quoted.replaceAll('""', '"')));
}

const number = (text) => (text === "" ? null : Number(text));
// As many digits as a ratio in force has: with fewer, prices reckoned back from ratios end in nines.
const round = (value) => (value === null ? null : Number(value.toFixed(12)));
const divide = (a, b) => (a === null || b === null || b === 0 ? null : a / b);

function fromPrices(row) {
  const input = number(row.input_usd_per_1m);
  const fixed = number(row.fixed_price_per_call);
  // Speech to text is metered at 1,000 tokens a minute, so a price per minute is a price per thousand tokens.
  if (row.source.includes("per audio minute")) return { ratio: (fixed * 1000) / 2, completion: 1, price: null };
  return {
    ratio: input === null ? null : input / 2,
    completion: divide(number(row.output_usd_per_1m), input),
    cache: divide(number(row.cached_input_usd_per_1m), input),
    price: fixed,
  };
}

function fromRatios(row) {
  const completion = number(row.completion_ratio);
  return {
    ratio: number(row.model_ratio),
    // The list prices grok's output like its input; xAI charges five times the input price.
    completion: row.model.startsWith("grok-") && completion === 1 ? 5 : completion,
    cache: number(row.cache_ratio),
    createCache: number(row.create_cache_ratio),
    price: number(row.model_price),
  };
}

const models = new Map(parseCsv("model_prices.csv").map((row) => [row.model, fromPrices(row)]));
for (const row of parseCsv("default_ratios.csv")) {
  const fill = fromRatios(row);
  const have = models.get(row.model);
  models.set(row.model, have ? { ...have, cache: have.cache ?? fill.cache, createCache: fill.createCache } : fill);
}

const lines = [...models].map(([model, { ratio, completion, cache, createCache, price }]) => {
  const cells = [ratio, completion, cache, createCache, price].map((value) => round(value ?? null));
  while (cells.length > 0 && cells.at(-1) === null) cells.pop();
  return `  ${JSON.stringify(model)}: [${cells.map((cell) => JSON.stringify(cell)).join(", ")}]`;
});
writeFileSync(new URL("default-prices.json", import.meta.url), `{\n${lines.join(",\n")}\n}\n`);
console.log(`${lines.length} models`);
