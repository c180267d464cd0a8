import type * as actions from "./actions";

export type PriceSyncActions = Pick<
  typeof actions,
  "comparePriceList" | "applyPrices" | "previewOffers" | "exportPrices"
>;
