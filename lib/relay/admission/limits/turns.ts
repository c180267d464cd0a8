import type { OptionValues } from "@/lib/option/registry";
import type { Numbers } from "../../base/refusals/refusal-texts";
import { RelayError } from "../../base/relay-error";
import type { Exchange } from "../../http/exchange";
import { throwAway } from "./away";
import type { Ask, Concurrency } from "./concurrency";

/** Whether requests wait for a place, and how many of a user. */
export type QueueTerms = Pick<Ask, "waitMs" | "waitersMax">;

export function queueTerms(options: OptionValues): QueueTerms {
  return { waitMs: options.ConcurrencyQueueSeconds * 1_000, waitersMax: options.ConcurrencyQueueLength };
}

const POSITION_HEADER = "x-weir-queue-position";

/** Takes a place, or waits for its turn. False = it got none. A caller who leaves waits no more. */
export async function takeTurn(places: Concurrency, ask: Ask, exchange: Exchange): Promise<boolean> {
  const asked = places.enter(ask, (cancel) => exchange.whenGone(cancel));
  const entered = asked instanceof Promise ? await asked.catch(throwAway) : asked;
  if (entered.position > 0 && !exchange.response.headersSent) {
    exchange.response.setHeader(POSITION_HEADER, entered.position);
  }
  return entered.isIn;
}

export function tooManyAtOnce(said: Numbers, { waitMs }: QueueTerms): RelayError {
  const retryAfter = Math.max(1, Math.ceil(waitMs / 10_000));
  return new RelayError("concurrency_limit_exceeded", said, { retryAfter });
}
