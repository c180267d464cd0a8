import type { ActionResult } from "@/lib/http/action";
import type { PriceExport } from "@/lib/pricing/sync/export-queries";
import type { PriceComparison } from "@/lib/pricing/sync/preview-queries";
import type { ApplyPricesInput } from "@/lib/pricing/sync/schemas";

export type PriceSyncActions = {
  comparePriceList: (input: { url: string }) => Promise<ActionResult<PriceComparison>>;
  applyPrices: (input: ApplyPricesInput) => Promise<ActionResult<{ count: number }>>;
  exportPrices: (input: Record<string, never>) => Promise<ActionResult<PriceExport>>;
};
