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
      enable_groups: model.groups,
    })),
    group_ratio: groupRatio,
    usable_group: usableGroup,
  };
}
