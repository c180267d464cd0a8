import type { PriceOptions } from "@/lib/billing/types";
import { parseOption } from "@/lib/option/registry";
import type { PriceTexts } from "./sync/price-state";

/** What the texts of the price options say; a model without a price has none. */
export function priceOptions(texts: PriceTexts): PriceOptions {
  return {
    ModelRatio: parseOption("ModelRatio", texts.ModelRatio),
    ModelPrice: parseOption("ModelPrice", texts.ModelPrice),
    CompletionRatio: parseOption("CompletionRatio", texts.CompletionRatio),
    CacheRatio: parseOption("CacheRatio", texts.CacheRatio),
    CreateCacheRatio: parseOption("CreateCacheRatio", texts.CreateCacheRatio),
    AudioRatio: parseOption("AudioRatio", texts.AudioRatio),
    AudioCompletionRatio: parseOption("AudioCompletionRatio", texts.AudioCompletionRatio),
    AudioCacheRatio: parseOption("AudioCacheRatio", texts.AudioCacheRatio),
    ImageRatio: parseOption("ImageRatio", texts.ImageRatio),
    ImageCacheRatio: parseOption("ImageCacheRatio", texts.ImageCacheRatio),
    ModelMeterPrices: parseOption("ModelMeterPrices", texts.ModelMeterPrices),
    QuotaPerUnit: parseOption("QuotaPerUnit", texts.QuotaPerUnit),
    SelfUseModeEnabled: false,
  };
}
