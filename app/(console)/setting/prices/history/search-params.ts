import { createLoader } from "nuqs/server";
import { priceHistoryParams } from "@/components/price-history/history-search";
import type { PriceChangeSearch } from "@/lib/pricing/history/schemas";

export const loadPriceHistorySearch = createLoader(priceHistoryParams);

/** Drops URL values that make no sense instead of refusing them. */
export function toPriceHistorySearch(params: Awaited<ReturnType<typeof loadPriceHistorySearch>>): PriceChangeSearch {
  const { name, before } = params;
  return { name: name.slice(0, 255), ...(before !== null && before > 0 ? { before } : {}) };
}
