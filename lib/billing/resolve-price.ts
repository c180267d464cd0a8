import type { MeterPrices } from "@/lib/meters";
import { type BuiltInTerms, builtInTerms } from "./built-in-terms";
import { mediaRatiosInForce } from "./media-prices";
import { completionRatioOf } from "./ratio-rules";
import type { PriceOptions, PriceRow } from "./types";

/** The ratio charged for a model without a price, where that is allowed (contract §5.3). */
const UNPRICED_RATIO = 37.5;
const CACHE_WRITE_RATIO = 1.25;

/**
 * The price of a model; null when it has none. For each field the operator's setting wins over the built-in list, and a
 * fixed price wins over a ratio. Prices of meters stand beside those of tokens, and give way to a fixed price. The completion ratio comes from the operator's map, else the built-in list, else the
 * rules by name. A model without a price is charged at ratio 37.5 in SelfUseModeEnabled, or when the user agreed to it
 * (`acceptsUnpriced`).
 */
export function resolvePrice(
  model: string,
  groupRatio: number,
  options: PriceOptions,
  acceptsUnpriced = false,
): PriceRow | null {
  const key = priceKey(model, options);
  const builtIn = builtInTerms(key);
  const setPrice = own(options.ModelPrice, key);
  const setRatio = own(options.ModelRatio, key);
  const setMeters = own(options.ModelMeterPrices ?? {}, key);
  const isSet = setPrice !== undefined || setRatio !== undefined;
  const meterPrices = setPrice === undefined ? (setMeters ?? (isSet ? undefined : builtIn?.meters)) : undefined;
  const isOtherwise = setRatio !== undefined || meterPrices !== undefined;
  const modelPrice = setPrice ?? (isOtherwise ? null : (builtIn?.price ?? null));
  const modelRatio = setRatio ?? builtIn?.ratio;
  const isPriced = modelPrice !== null || modelRatio !== undefined || meterPrices !== undefined;
  if (!isPriced && !options.SelfUseModeEnabled && !acceptsUnpriced) return null;
  const ratios = tokenRatios(key, builtIn, options);
  return {
    modelRatio: modelRatio ?? (isPriced ? 0 : UNPRICED_RATIO),
    ...ratios,
    ...mediaRatiosInForce(key, ratios.completionRatio, options),
    modelPrice,
    ...metersOf(meterPrices, modelRatio),
    groupRatio,
    quotaPerUnit: options.QuotaPerUnit,
  };
}

function metersOf(
  meterPrices: MeterPrices | undefined,
  modelRatio: number | undefined,
): Pick<PriceRow, "meterPrices" | "metersOnly"> {
  if (!meterPrices) return {};
  return modelRatio === undefined ? { meterPrices, metersOnly: true } : { meterPrices };
}

function tokenRatios(key: string, builtIn: BuiltInTerms | undefined, options: PriceOptions) {
  return {
    completionRatio: own(options.CompletionRatio, key) ?? builtIn?.completion ?? completionRatioOf(key),
    cacheRatio: own(options.CacheRatio, key) ?? builtIn?.cache ?? 1,
    createCacheRatio: own(options.CreateCacheRatio ?? {}, key) ?? builtIn?.createCache ?? CACHE_WRITE_RATIO,
  };
}

/** All custom GPTs of one kind share one price, under a name ending in "*", but for those that the operator priced by name. */
function priceKey(model: string, { ModelPrice, ModelRatio, ModelMeterPrices = {} }: PriceOptions): string {
  if (!model.startsWith("gpt-4")) return model;
  if ([ModelPrice, ModelRatio, ModelMeterPrices].some((map) => Object.hasOwn(map, model))) return model;
  if (model.startsWith("gpt-4-gizmo-")) return "gpt-4-gizmo-*";
  if (model.startsWith("gpt-4o-gizmo-")) return "gpt-4o-gizmo-*";
  return model;
}

function own<Value>(map: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}
