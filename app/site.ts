import { headers } from "next/headers";
import { cache } from "react";
import type { QuotaDisplay } from "@/components/format/quota";
import { getContext } from "@/lib/auth/session";
import { isSecureRequest } from "@/lib/http/client-address";
import { loadOptions } from "@/lib/option/queries";

const UNSET_ADDRESS = "http://localhost:3000";

/** Where clients reach this site: the configured address, else the one this reader came by. */
async function publicAddress(configured: string): Promise<string> {
  if (configured !== "" && configured !== UNSET_ADDRESS) return configured.replace(/\/+$/, "");
  const received = await headers();
  const host = received.get("x-forwarded-host") ?? received.get("host");
  const protocol = isSecureRequest(received) ? "https" : "http";
  return host ? `${protocol}://${host}` : configured;
}

/** The settings that pages show themselves by, read once per request. */
export const getSite = cache(async () => {
  const options = await loadOptions((await getContext()).db);
  const quotaDisplay: QuotaDisplay = {
    inCurrency: options.DisplayInCurrencyEnabled,
    quotaPerUnit: options.QuotaPerUnit,
  };
  return {
    systemName: options.SystemName || "Weir",
    serverAddress: await publicAddress(options.ServerAddress),
    collapseSidebar: options.DefaultCollapseSidebar,
    quotaDisplay,
  };
});
