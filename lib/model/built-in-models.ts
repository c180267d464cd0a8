import { pricedModels } from "@/lib/billing/default-prices";
import { rows } from "@/lib/relay/upstreams/rows";

/** Channel type → models to start a new channel with. */
export function builtInModelsByType(): Map<number, string[]> {
  const priced = pricedModels();
  return new Map(
    [...rows.values()].flatMap(({ id, models }) =>
      models ? [[id, priced.filter((model) => models.test(model))]] : [],
    ),
  );
}

/** Every model this installation knows of by itself. */
export function builtInModels(): string[] {
  return pricedModels();
}
