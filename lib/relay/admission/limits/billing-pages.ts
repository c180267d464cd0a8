import { env } from "@/lib/env";
import { addressKey, createRateWindow } from "@/lib/rate-window";
import { RelayError } from "../../base/relay-error";
import type { Exchange } from "../../http/exchange";

/** Rate limit of the billing pages: the limit of /api per client address (contract §1.1, class GA), counted per process. */
export function createBillingLimit(): (exchange: Exchange) => void {
  const { GLOBAL_API_RATE_LIMIT_ENABLE: isOn, GLOBAL_API_RATE_LIMIT: limit, ...rest } = env();
  const window = createRateWindow();
  return (exchange) => {
    if (!isOn) return;
    const retryAfter = window.add(addressKey(exchange.clientIp), limit, rest.GLOBAL_API_RATE_LIMIT_DURATION);
    if (retryAfter === 0) return;
    throw new RelayError("rate_limit_exceeded", { text: "addressRequests", limit, wait: retryAfter }, { retryAfter });
  };
}
