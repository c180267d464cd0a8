import type { IncomingMessage, ServerResponse } from "node:http";
import type { SnapshotStore } from "@/lib/snapshot/store";
import type { ClientAddress } from "./client-address";
import { Exchange } from "./exchange";
import type { OnEnd, RequestTarget } from "./on-end";
import type { Tracing } from "./tracing/trace";

/** Whose request it is, and who is told of it. */
export type Watching = {
  clientAddress: ClientAddress;
  /** Told of every request when its answer was sent, for logs, metrics and traces. It must not throw. */
  onEnd?: OnEnd | undefined;
  /** Null or absent = requests have no traces. */
  tracing?: Pick<Tracing, "begin"> | null | undefined;
};

/** Knows where the console is. */
type Site = { snapshot: Pick<SnapshotStore, "current"> };

/** A request with its trace, where there is one. */
export function openExchange(
  { clientAddress, tracing, snapshot }: Pick<Watching, "clientAddress" | "tracing"> & Site,
  endpoint: RequestTarget,
  request: IncomingMessage,
  response: ServerResponse,
): Exchange {
  const exchange = new Exchange(request, response, clientAddress(request), endpoint.clientDialect);
  exchange.site = snapshot;
  if (tracing) exchange.trace = tracing.begin(exchange, endpoint);
  return exchange;
}

/** To be called once, when its answer was sent. */
export function endExchange({ onEnd }: Pick<Watching, "onEnd">, exchange: Exchange, endpoint: RequestTarget): void {
  // Here and not with what the request holds: the error that it is refused with is captured, too.
  exchange.capture?.leave();
  exchange.trace?.end();
  onEnd?.(exchange, endpoint);
}
