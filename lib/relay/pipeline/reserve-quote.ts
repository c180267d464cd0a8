import type { Reservation } from "@/lib/billing/lease";
import { type Quote, quoteRequest } from "../admission/quote";
import { reserve } from "../admission/reserve";
import { RelayError } from "../base/relay-error";
import type { Offer } from "./model-fallback";
import type { RequestScope } from "./request-scope";

type Amounts = Pick<Quote, "amount" | "least" | "fair" | "most">;

/** The request that reserves. */
type Reserving = Pick<RequestScope, "shared" | "caller" | "permit" | "snapshot">;

/** Reserves for one model. */
export function reserveQuote({ shared, caller, permit }: Reserving, quote: Quote): Reservation | Promise<Reservation> {
  const { sql, leaseBook } = shared;
  if (!permit.budget) return reserve(sql, leaseBook, caller, quote);
  const reserveFor = (amounts: Amounts) => reserve(sql, leaseBook, caller, { ...amounts, price: quote.price });
  return permit.budget.take(quote).then(reserveFor);
}

/** Refusals that a smaller quote may avoid. */
const TOO_DEAR = new Set<unknown>([
  "insufficient_quota",
  "pre_consume_token_quota_failed",
  "budget_exceeded",
  "budget_reserved",
]);

/** Reserves for one model. If there is too little for the estimate by length, its texts are counted and quoted again. */
export async function reserveCounted(reserving: Reserving, offer: Offer): Promise<Reservation> {
  try {
    return await reserveQuote(reserving, offer.quote);
  } catch (error) {
    const { intake, route } = offer;
    const isTooDear = error instanceof RelayError && TOO_DEAR.has(error.wire.code);
    const need = isTooDear ? await intake.countedNeed?.() : undefined;
    if (!need) throw error;
    const { model, isStream } = intake;
    const quote = quoteRequest({ model, isStream, need }, route, reserving.caller.user, reserving.snapshot);
    if (quote.least >= offer.quote.least) throw error;
    offer.quote = quote;
    return await reserveQuote(reserving, quote);
  }
}
