import type { MeterPrices } from "@/lib/meters";
import { builtInModels, builtInTerms } from "./built-in-terms";
import { type MediaRatios, makersMediaRatios } from "./media-prices";
import { factsOf, type ModelFacts } from "./model-facts";
import { completionRatioOf } from "./ratio-rules";

/** The price of a model that the operator has not priced. */
export type BuiltInPrice = {
  price?: number;
  ratio?: number;
  completion?: number;
  meters?: MeterPrices;
  media?: MediaRatios;
};

/** What is known of every built-in model. */
export function builtInFacts(): Record<string, ModelFacts> {
  return Object.fromEntries(builtInModels().map((model) => [model, factsOf(model)]));
}

/** Every built-in model with its price or ratios. Completion ratios missing from the list come from the rules by name. */
export function builtInPrices(): Record<string, BuiltInPrice> {
  const entries = builtInModels().map((model) => [model, effective(model)] as const);
  return Object.fromEntries(entries);
}

function effective(model: string): BuiltInPrice {
  const { price, ratio, completion, meters } = builtInTerms(model) ?? {};
  if (meters) return { meters };
  if (price !== undefined && ratio === undefined) return { price };
  const media = makersMediaRatios(model);
  return {
    ...(ratio === undefined ? {} : { ratio }),
    completion: completion ?? completionRatioOf(model),
    ...(Object.keys(media).length > 0 ? { media } : {}),
  };
}
