import { headers } from "next/headers";
import { cache } from "react";
import type { QuotaDisplay } from "@/components/format/quota";
import { getContext } from "@/lib/auth/session";
import { publicAddressOf } from "@/lib/http/public-address";
import { loadOptions } from "@/lib/option/queries";

/** The settings that pages show themselves by, read once per request. */
export const getSite = cache(async () => {
  const options = await loadOptions((await getContext()).db);
  const quotaDisplay: QuotaDisplay = {
    inCurrency: options.DisplayInCurrencyEnabled,
    quotaPerUnit: options.QuotaPerUnit,
    symbol: options.CurrencySymbol,
  };
  return {
    systemName: options.SystemName || "Weir",
    serverAddress: publicAddressOf(options.ServerAddress, await headers()),
    collapseSidebar: options.DefaultCollapseSidebar,
    quotaDisplay,
  };
});
