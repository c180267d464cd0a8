import type { Endpoint } from "../side/endpoints";
import type { Exchange } from "./exchange";

/**
 * Is told of a request when it is over: `exchange.settled` has its charge and how it was answered, `exchange.failure` the error
 * that the caller got, `exchange.owner` whose it is. Called once for each request, also for those that are refused.
 */
export type OnEnd = (exchange: Exchange, endpoint: Endpoint) => void;

/** Tells several; undefined = there is nobody to tell. */
export function tellAll(listeners: readonly (OnEnd | null | undefined)[]): OnEnd | undefined {
  const [first, ...others] = listeners.filter((listener) => listener != null);
  if (!first || others.length === 0) return first;
  return (exchange, endpoint) => {
    first(exchange, endpoint);
    for (const tell of others) tell(exchange, endpoint);
  };
}
