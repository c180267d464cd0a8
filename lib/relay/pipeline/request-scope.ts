import type { Reservation } from "@/lib/billing/lease";
import { logger } from "@/lib/logger";
import type { Snapshot } from "@/lib/snapshot/store";
import type { Caller } from "../admission/authenticate";
import type { Permit } from "../admission/limits";
import { type ChannelSeats, NO_SEATS } from "../admission/limits/channel-seats";
import type { BodyShare } from "../base/body-budget";
import type { Asker } from "../http/attempt/attempt-settings";
import type { Exchange } from "../http/exchange";
import type { Operation } from "../operations/operation";
import type { Preference } from "../routing/affinity";
import type { Claim } from "./idempotency";
import type { Fallbacks } from "./model-fallback";
import type { Shared } from "./shared";

/**
 * - admitted: the caller is known and within its limits; nothing is reserved.
 * - reserved: the quota of one model is reserved.
 * - asking: a channel is asked, and nothing of an answer has reached the caller.
 * - streaming: the caller has a part of the answer.
 * - measured: no more comes; what is charged is known.
 * - booked: the charge is handed to the settler, or left open for an answer that its upstream goes on with.
 * - ended: everything was given back.
 */
export type RequestState = "admitted" | "reserved" | "asking" | "streaming" | "measured" | "booked" | "ended";

/** What may follow each state. A request that is refused, or that breaks, ends from any of them. */
const NEXT: Record<RequestState, readonly RequestState[]> = {
  // Where the balance carries no other model, the failure of the one before is what comes of the request.
  admitted: ["reserved", "measured", "ended"],
  reserved: ["asking", "ended"],
  // Another model is asked after this one has failed, or where its channels are full. An answer in the background is booked unmeasured.
  asking: ["streaming", "measured", "admitted", "booked", "ended"],
  // A stream that others go on with stays one.
  streaming: ["measured", "booked", "ended"],
  // A failed request costs nothing, and ends before its error is sent.
  measured: ["booked", "ended"],
  booked: ["ended"],
  ended: [],
};

/** What a request may hold, in the order in which it is given back. The first four belong to the model that is asked. */
const HELD = ["stream", "seats", "preference", "reservation", "note", "share", "permit"] as const;
const OF_A_MODEL = 4;

const isChecked = process.env.NODE_ENV !== "production";

/**
 * One request, and all that it holds until it is over: its one owner. Each stage writes down here what it has taken, and `end` gives
 * everything back. Null = it holds nothing of the kind, or somebody else has it by now.
 */
export class RequestScope implements Asker {
  state: RequestState = "admitted";
  readonly shared: Shared;
  readonly exchange: Exchange;
  readonly operation: Operation;
  readonly caller: Caller;
  /** Its part in the limits of its caller. */
  readonly permit: Permit;
  /** Its part of the memory for bodies. */
  readonly share: BodyShare;
  /** Its Idempotency-Key. */
  claim: Claim | null = null;
  /** What it reads options, models and channels from, from the moment its body is there. */
  snapshot: Snapshot;
  /** Models that may be asked beside the one it names. */
  fallbacks: Fallbacks | null = null;
  /** The quota for the model that is asked. */
  reservation: Reservation | null = null;
  /** Where its conversation counts as running. */
  preference: Preference | null = null;
  /** Its places in the limits of channels. */
  seats: ChannelSeats = NO_SEATS;
  /** What its stream delivers goes into the journal each second. */
  isRunning = false;
  /** The journal has it as a submission whose end is not known. */
  isNoted = false;
  /** The caller got what it asked for. */
  isServed = false;

  constructor(shared: Shared, exchange: Exchange, operation: Operation, caller: Caller, permit: Permit) {
    this.shared = shared;
    this.exchange = exchange;
    this.operation = operation;
    this.caller = caller;
    this.permit = permit;
    this.snapshot = shared.snapshot.current();
    this.share = shared.bodyBudget.open(caller.user.id);
    exchange.share = this.share;
  }

  move(state: RequestState): void {
    if (isChecked && !NEXT[this.state].includes(state)) {
      throw new Error(`a request that is ${this.state} cannot be ${state} next`);
    }
    this.state = state;
  }

  /** The first bytes of an answer go to the caller, or of another one that goes on with it. */
  streams(): void {
    if (this.state !== "streaming") this.move("streaming");
  }

  leavePlaces(): void {
    this.permit.leavePlaces();
  }

  /** A settlement takes the place of what the journal has of the request. */
  handOver(): void {
    this.isNoted = false;
    if (!this.isRunning) return;
    this.isRunning = false;
    this.shared.streams.end(this.exchange, true);
  }

  /** Another model is asked: what the one before held is given back. */
  nextModel(): void {
    if (this.state !== "admitted") this.move("admitted");
    this.giveBack(OF_A_MODEL);
    this.permit.budget?.giveBack();
  }

  /** Gives everything back that is still held. To be called once; only an Idempotency-Key is waited for. */
  end(): Promise<void> | undefined {
    this.move("ended");
    this.giveBack(HELD.length);
    return this.claim?.leave();
  }

  /** The first `count` of what a request may hold. What fails is logged and does not keep the rest. */
  private giveBack(count: number): void {
    for (let at = 0; at < count; at++) {
      try {
        this.leave(HELD[at]);
      } catch (error) {
        logger.error(
          { err: error, request: this.exchange.id, what: HELD[at] },
          "what a request held was not given back",
        );
      }
    }
  }

  private leave(what: (typeof HELD)[number] | undefined): void {
    const { shared, exchange, preference, reservation, isRunning } = this;
    if (what === "stream") {
      this.isRunning = false;
      if (isRunning) shared.streams.end(exchange, false);
    } else if (what === "seats") {
      this.seats.leave(0);
    } else if (what === "preference") {
      this.preference = null;
      preference?.leave();
    } else if (what === "reservation") {
      this.reservation = null;
      if (reservation) shared.leaseBook.release(reservation);
    } else if (what === "note") {
      if (this.isNoted) shared.settler.forget(exchange.id);
    } else if (what === "share") {
      this.share.release(exchange.response);
    } else if (what === "permit") {
      this.permit.leave(this.isServed);
    }
  }
}
