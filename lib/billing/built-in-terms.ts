import type { MeterPrices } from "@/lib/meters";
import meterList from "./default-meter-prices.json" with { type: "json" };
import list from "./default-prices.json" with { type: "json" };

/** Built-in price of a model. Missing fields are unknown; the general defaults apply to them. */
type DefaultPrice = {
  ratio?: number;
  completion?: number;
  cache?: number;
  createCache?: number;
  /** USD per call. */
  price?: number;
};

type Row = readonly (number | null)[];

/** [model ratio, completion ratio, cache ratio, cache write ratio, price per call]; trailing nulls are left out. */
const rows = new Map<string, DefaultPrice>(
  Object.entries(list as Record<string, Row>).map(([model, row]) => [model, readRow(row)]),
);

function readRow([ratio, completion, cache, createCache, price]: Row): DefaultPrice {
  return {
    ...(ratio == null ? {} : { ratio }),
    ...(completion == null ? {} : { completion }),
    ...(cache == null ? {} : { cache }),
    ...(createCache == null ? {} : { createCache }),
    ...(price == null ? {} : { price }),
  };
}

/** Exact match by name. */
export function builtInPrice(model: string): DefaultPrice | undefined {
  return rows.get(model);
}

export function pricedModels(): string[] {
  return [...rows.keys()];
}

/** A built-in price with its meters. */
export type BuiltInTerms = DefaultPrice & { meters?: MeterPrices };

const meters = new Map(Object.entries(meterList as Record<string, Record<string, number>>));

/**
 * The price list names the price of one small picture for these, while OpenAI charges by tokens. `completion`: what
 * tokens of pictures cost relative to those of the prompt.
 */
const PICTURES_BY_TOKENS = new Map([
  ["gpt-image-1", 8],
  ["gpt-image-1-mini", 4],
  ["gpt-image-1.5", 6.4],
  ["gpt-image-2", 6],
]);

const terms = new Map<string, BuiltInTerms>(
  [...new Set([...pricedModels(), ...meters.keys()])].map((model) => [model, join(model)]),
);

/** What has meters is charged by nothing else: the price lists name a price per call or of tokens where they have no better unit. */
function join(model: string): BuiltInTerms {
  const own = meters.get(model);
  if (own) return { meters: own };
  const { price, ...rest } = builtInPrice(model) ?? {};
  const completion = PICTURES_BY_TOKENS.get(model);
  if (completion !== undefined) return { ...rest, completion };
  return price === undefined ? rest : { ...rest, price };
}

/** Exact match by name. */
export function builtInTerms(model: string): BuiltInTerms | undefined {
  return terms.get(model);
}

/** All models with a built-in price. */
export function builtInModels(): string[] {
  return [...terms.keys()];
}
