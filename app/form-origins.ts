import type { OptionValues } from "@/lib/option/registry";
import { epayMerchant } from "@/lib/topup/epay";

/** Other origins that pages post forms to: the payment gateway, while online top-up is configured. */
export function formOrigins(options: OptionValues): string[] {
  const merchant = epayMerchant(options);
  return merchant && URL.canParse(merchant.address) ? [new URL(merchant.address).origin] : [];
}
