import list from "./default-prices.json" with { type: "json" };

/** Built-in price of a model; what is left out is not known and takes the general default. */
export type DefaultPrice = {
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

/** The built-in price of exactly this name. */
export function builtInPrice(model: string): DefaultPrice | undefined {
  return rows.get(model);
}

/** Every model with a built-in price. */
export function pricedModels(): string[] {
  return [...rows.keys()];
}
