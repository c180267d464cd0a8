import { builtInModels as pricedModels } from "@/lib/billing/built-in-terms";
import { rows } from "@/lib/relay/upstreams/rows";

/** Initial models of a new channel, by channel type. */
export function builtInModelsByType(): Map<number, string[]> {
  const priced = pricedModels();
  return new Map(
    [...rows.values()].flatMap(({ id, models }) =>
      models ? [[id, priced.filter((model) => models.test(model))]] : [],
    ),
  );
}

/** Every model with a built-in price. */
export function builtInModels(): string[] {
  return pricedModels();
}
