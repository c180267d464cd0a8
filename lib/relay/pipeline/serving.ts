import type { Reservation } from "@/lib/billing/lease";
import type { Snapshot } from "@/lib/snapshot/store";
import type { Caller } from "../admission/authenticate";
import type { Permit } from "../admission/limits";
import { type ChannelSeats, NO_SEATS } from "../admission/limits/channel-seats";
import { type Quote, quoteRequest } from "../admission/quote";
import { reserve } from "../admission/reserve";
import { RelayError } from "../base/relay-error";
import type { Exchange } from "../http/exchange";
import type { Operation } from "../operations/operation";
import type { Preference } from "../routing/affinity";
import type { Fallbacks, Offer } from "./model-fallback";
import type { Shared } from "./shared";

/** One request, and what it holds while a model is asked. */
export type Serving = {
  shared: Shared;
  exchange: Exchange;
  operation: Operation;
  caller: Caller;
  permit: Permit;
  snapshot: Snapshot;
  requestedModel: string;
  fallbacks: Fallbacks | null;
  reservation: Reservation | null;
  preference: Preference | null;
  seats: ChannelSeats;
  /** The journal has it as a submission whose end is not known. */
  isNoted: boolean;
};

type Amounts = Pick<Quote, "amount" | "least" | "fair" | "most">;

/** What a request holds, before it holds anything. */
export function startServing(asked: Omit<Serving, "reservation" | "preference" | "seats" | "isNoted">): Serving {
  asked.exchange.model = asked.requestedModel;
  const { shared, exchange, operation, caller, permit, snapshot, requestedModel, fallbacks } = asked;
  // Named one by one: V8 copies an object that it spreads several times slower.
  return {
    shared,
    exchange,
    operation,
    caller,
    permit,
    snapshot,
    requestedModel,
    fallbacks,
    reservation: null,
    preference: null,
    seats: NO_SEATS,
    isNoted: false,
  };
}

/** Reserves for one model. */
export function hold({ shared, caller, permit }: Serving, quote: Quote): Reservation | Promise<Reservation> {
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
export async function holdCounted(serving: Serving, offer: Offer): Promise<Reservation> {
  try {
    return await hold(serving, offer.quote);
  } catch (error) {
    const { intake, route } = offer;
    const isTooDear = error instanceof RelayError && TOO_DEAR.has(error.wire.code);
    const need = isTooDear ? await intake.countedNeed?.() : undefined;
    if (!need) throw error;
    const { model, isStream } = intake;
    const quote = quoteRequest({ model, isStream, need }, route, serving.caller.user, serving.snapshot);
    if (quote.least >= offer.quote.least) throw error;
    offer.quote = quote;
    return await hold(serving, quote);
  }
}

export function release({ shared, reservation }: Serving): void {
  if (reservation) shared.leaseBook.release(reservation);
}
