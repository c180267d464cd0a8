import { builtInModels as pricedModels } from "@/lib/billing/built-in-terms";
import { channelTypes } from "@/lib/provider-catalogue";

/** Initial models of a new channel, by channel type; every type has an entry, an empty one where nothing is known. */
export function builtInModelsByType(): Map<number, string[]> {
  const priced = pricedModels();
  return new Map(
    [...channelTypes.values()].map(({ id, models }) => [
      id,
      models ? priced.filter((model) => models.test(model)) : [],
    ]),
  );
}

/** Every model with a built-in price. */
export function builtInModels(): string[] {
  return pricedModels();
}
