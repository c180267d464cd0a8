import { builtInPrice, pricedModels } from "./default-prices";
import { completionRatioOf } from "./ratio-rules";

/** What a model costs while the operator has not priced it. */
export type BuiltInPrice = { price?: number; ratio?: number; completion?: number };

/** Every model of the built-in list with what counts for it, completion ratios by name included. */
export function builtInPrices(): Record<string, BuiltInPrice> {
  const entries = pricedModels().map((model) => [model, effective(model)] as const);
  return Object.fromEntries(entries);
}

function effective(model: string): BuiltInPrice {
  const { price, ratio, completion } = builtInPrice(model) ?? {};
  if (price !== undefined && ratio === undefined) return { price };
  return { ...(ratio === undefined ? {} : { ratio }), completion: completion ?? completionRatioOf(model) };
}
