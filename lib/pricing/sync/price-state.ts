import { sha256Hex } from "@/lib/crypto";
import type { OptionKey } from "@/lib/option/registry";

/** The options that say what a model costs. The unit is among them because amounts in USD become ratios by it. */
export const PRICE_KEYS = [
  "AudioCacheRatio",
  "AudioCompletionRatio",
  "AudioRatio",
  "CacheRatio",
  "CompletionRatio",
  "CreateCacheRatio",
  "ImageCacheRatio",
  "ImageRatio",
  "ModelMeterPrices",
  "ModelPrice",
  "ModelRatio",
  "QuotaPerUnit",
] as const satisfies readonly OptionKey[];

export type PriceKey = (typeof PRICE_KEYS)[number];
export type PriceTexts = Readonly<Record<PriceKey, string>>;

/** Two states are the same when no price was changed between them. */
export function stateOf(texts: PriceTexts): string {
  return sha256Hex(JSON.stringify(PRICE_KEYS.map((key) => texts[key])));
}
