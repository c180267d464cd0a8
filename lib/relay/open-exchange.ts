import type { IncomingMessage, ServerResponse } from "node:http";
import type { Endpoint } from "./endpoints";
import { Exchange } from "./exchange";
import type { RelaySettings } from "./relay-settings";

/** A request with its trace, where there is one. */
export function openExchange(
  { clientAddress, tracing }: Pick<RelaySettings, "clientAddress" | "tracing">,
  endpoint: Endpoint,
  request: IncomingMessage,
  response: ServerResponse,
): Exchange {
  const exchange = new Exchange(request, response, clientAddress(request), endpoint.caller);
  if (tracing) exchange.trace = tracing.begin(exchange, endpoint);
  return exchange;
}

/** To be called once, when its answer was sent. */
export function endExchange({ onEnd }: Pick<RelaySettings, "onEnd">, exchange: Exchange, endpoint: Endpoint): void {
  exchange.trace?.end();
  onEnd?.(exchange, endpoint);
}
