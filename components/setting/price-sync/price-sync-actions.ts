import type { ActionResult } from "@/lib/http/action";
import type { PreviewOffersInput } from "@/lib/pricing/effect/schemas";
import type { PriceEffect } from "@/lib/pricing/effect/types";
import type { PriceExport } from "@/lib/pricing/sync/export-queries";
import type { PriceComparison } from "@/lib/pricing/sync/preview-queries";
import type { ApplyPricesInput, PriceListInput } from "@/lib/pricing/sync/schemas";

export type PriceSyncActions = {
  comparePriceList: (input: PriceListInput) => Promise<ActionResult<PriceComparison>>;
  applyPrices: (input: ApplyPricesInput) => Promise<ActionResult<{ count: number }>>;
  previewOffers: (input: PreviewOffersInput) => Promise<ActionResult<PriceEffect>>;
  exportPrices: (input: Record<string, never>) => Promise<ActionResult<PriceExport>>;
};
