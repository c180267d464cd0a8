import type { OperationId } from "@/lib/operations";
import type { ClientDialect } from "../wire/dialects/dialect";
import type { Exchange } from "./exchange";

/** What a request's method and path lead to, as far as logs, metrics and traces need it. */
export type RequestTarget = {
  path: string;
  kind: string;
  clientDialect: ClientDialect;
  /** Absent = it is no request for an operation. */
  operation?: { id: OperationId; endpoints: readonly { path: string | RegExp }[] };
};

/**
 * Is told of a request when it is over: `exchange.settled` has its charge and how it was answered, `exchange.failure` the error
 * that the caller got, `exchange.owner` whose it is. Called once for each request, also for those that are refused.
 */
export type OnEnd = (exchange: Exchange, target: RequestTarget) => void;

/** Tells several; undefined = there is nobody to tell. */
export function tellAll(listeners: readonly (OnEnd | null | undefined)[]): OnEnd | undefined {
  const [first, ...others] = listeners.filter((listener) => listener != null);
  if (!first || others.length === 0) return first;
  return (exchange, target) => {
    first(exchange, target);
    for (const tell of others) tell(exchange, target);
  };
}
