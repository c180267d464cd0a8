import type { Reservation } from "@/lib/billing/lease";
import type { Snapshot } from "@/lib/snapshot/store";
import type { Preference } from "./affinity";
import type { Exchange } from "./exchange";
import type { Permit } from "./limits";
import { type ChannelSeats, NO_SEATS } from "./limits/channel-seats";
import type { Operation } from "./operations/operation";
import type { Shared } from "./shared";
import type { Caller } from "./stages/authenticate";
import type { Fallbacks } from "./stages/model-fallback";
import type { Quote } from "./stages/quote";
import { reserve } from "./stages/reserve";

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

export function release({ shared, reservation }: Serving): void {
  if (reservation) shared.leaseBook.release(reservation);
}
