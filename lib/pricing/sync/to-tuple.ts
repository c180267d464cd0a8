import type { Offer } from "./offer";
import type { PriceTuple } from "./schemas";

/** An offer as it is sent to be applied. */
export function toTuple({ model, price }: Offer): PriceTuple {
  if (price.kind === "call") return [model, price.call, null, null, null, null];
  return [model, null, price.input, price.output, price.cached, price.cacheWrite];
}
