import { MEDIA_RATIOS, type MediaRatios } from "@/lib/billing/media-prices";
import type { ModelFacts } from "@/lib/billing/model-facts";
import type { PriceList } from "./types";

/** The price list in the /api format (contract §1.5): the groups are beside `data`. */
export function toWirePriceList({ models, groupRatio, usableGroup }: PriceList) {
  return {
    data: models.map((model) => ({
      model_name: model.modelName,
      quota_type: model.perCall ? 1 : 0,
      model_ratio: model.modelRatio,
      model_price: model.modelPrice,
      owner_by: "",
      completion_ratio: model.completionRatio,
      cache_ratio: model.cacheRatio,
      ...toWireMedia(model.media ?? {}),
      enable_groups: model.groups,
      ...(model.meterPrices ? { meter_prices: model.meterPrices } : {}),
      ...toWireFacts(model.facts),
    })),
    group_ratio: groupRatio,
    usable_group: usableGroup,
  };
}

/** As gateways of this family name them; what costs as much as text is left out. */
function toWireMedia(media: MediaRatios): Record<string, number> {
  return Object.fromEntries(
    MEDIA_RATIOS.flatMap(({ wire, field }) => {
      const ratio = media[field];
      return ratio === undefined ? [] : [[wire, ratio] as const];
    }),
  );
}

/** Fields of our own, beside those of the contract. What is unknown is left out. */
function toWireFacts({ vendor, contextTokens, maxOutputTokens, input, output }: ModelFacts) {
  return {
    ...(vendor === undefined ? {} : { vendor }),
    ...(contextTokens === undefined ? {} : { context_window: contextTokens }),
    ...(maxOutputTokens === undefined ? {} : { max_output_tokens: maxOutputTokens }),
    ...(input === undefined ? {} : { input_modalities: input }),
    ...(output === undefined ? {} : { output_modalities: output }),
  };
}
