import type { Offer } from "./offer";
import type { PriceTuple } from "./schemas";

/** An offer as it is sent to be applied. */
export function toTuple({ model, price }: Offer): PriceTuple {
  if (price.kind === "call") return [model, price.call, null, null, null, null];
  if (price.kind === "meters") return [model, null, null, null, null, null, price.meters];
  const { input, output, cached, cacheWrite, meters, media } = price;
  if (media) return [model, null, input, output, cached, cacheWrite, meters ?? null, media];
  return meters
    ? [model, null, input, output, cached, cacheWrite, meters]
    : [model, null, input, output, cached, cacheWrite];
}
