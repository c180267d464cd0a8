import list from "./default-prices.json" with { type: "json" };

/** Built-in price of a model. Missing fields are unknown; the general defaults apply to them. */
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

/** Exact match by name. */
export function builtInPrice(model: string): DefaultPrice | undefined {
  return rows.get(model);
}

export function pricedModels(): string[] {
  return [...rows.keys()];
}
