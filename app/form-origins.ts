import { consoleDatabase } from "@/lib/console-database";
import { loadOptions } from "@/lib/option/queries";
import { epayMerchant } from "@/lib/topup/epay";

/** Other origins that pages post forms to: the payment gateway, while online top-up is configured. */
export async function formOrigins(): Promise<string[]> {
  const merchant = epayMerchant(await loadOptions(consoleDatabase().db));
  return merchant && URL.canParse(merchant.address) ? [new URL(merchant.address).origin] : [];
}
