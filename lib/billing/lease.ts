import { parseBalanceNotice } from "./balance-notice";
import type { AppliedCharge, LeaseKey, LeaseStore } from "./billing-store";
import { away, createLeasePatience, type LeasePatience } from "./lease-patience";
import { emptySlice, fits, freeOf, HeldReservation, type Obtained, type Slice, type Want } from "./slice";
import { createSliceWorker, type SliceWorker } from "./slice-worker";
import { isTransient, sqlStateOf } from "./sqlstate";
import { systemTimers, type Timers, within } from "./timers";
import type { Refusal, Reservation } from "./types";

export type { Refusal, Reservation } from "./types";

export type LeaseBookSettings = {
  store: LeaseStore;
  timers?: Timers;
  /** A uuid of this process; new at every start. */
  nodeId: string;
  nodeName?: string;
  heartbeatMs?: number;
  /** A slice unused for this long is returned. */
  idleMs?: number;
  /** Without a heartbeat for this long nothing is admitted; well below the 30 s after which the slices are swept. */
  fenceMs?: number;
  /** For how long a reservation is tried again after the database first failed it. */
  retryMs?: number;
  onError?: (error: unknown) => void;
};

type ReserveRequest = {
  userId: number;
  /** The token whose limit is checked too; null = unlimited token or no token. */
  tokenId: number | null;
  amount: number;
  /** Taken instead of `amount` when this process holds several times as much anyway. Default: `amount`. */
  most?: number;
} & Partial<Want>;

export type LeaseBook = {
  /**
   * Reserves quota. Returns synchronously when the slice in memory suffices, otherwise a promise; `await` handles both.
   * Rejects with "unavailable" when it needs the database and that is in trouble (lease-patience.ts).
   */
  reserve(request: ReserveRequest): Reservation | Refusal | Promise<Reservation | Refusal>;
  /**
   * Adds to an open reservation; returns how much: `want.amount`, less but at least `want.least`, or 0 = refused.
   * Returns synchronously when the slice in memory suffices. Rejects with "unavailable" as `reserve` does, and when the
   * slices that the reservation was taken from are gone.
   */
  extend(reservation: Reservation, want: Want): number | Promise<number>;
  /** Moves a part of an open reservation to the one that is returned, for a charge of its own. */
  split(reservation: Reservation, amount: number): Reservation;
  /** Returns an unused reservation. Does nothing when it was already released or settled. */
  release(reservation: Reservation): void;
  /** Without a heartbeat for so long that nothing is admitted before the next one. */
  isFenced(): boolean;
  /** The leases in hand, and the quota in them. */
  held(): { leases: number; quota: number };
  start(): Promise<void>;
  /** Registers this process again after it was swept. */
  rejoin(): Promise<void>;
  /** Returns all slices and unregisters the node. Call it after the settler has drained. */
  stop(): Promise<void>;
  /** Called by the settler when the cost is known. */
  settleAt(reservation: Reservation, cost: number): void;
  /** Called by the settler when a flush is committed. */
  applied(charges: readonly AppliedCharge[], reservations: readonly (Reservation | null)[]): void;
};

const REFUSED_USER: Refusal = Object.freeze({ refused: "user" });
const REFUSED_TOKEN: Refusal = Object.freeze({ refused: "token" });
const HELD_USER: Refusal = Object.freeze({ refused: "user", isHeld: true });
const HELD_TOKEN: Refusal = Object.freeze({ refused: "token", isHeld: true });
/** A slice that has this many times the most that a request can need has it to spare. */
const PLENTY = 4;
/** How often the process looks for leases of its own that it does not know, after a fail-over of the database. */
const LEASE_CHECK_TICKS = 12;
/** A heartbeat whose reply is lost is repeated well before the sweep. */
const BEAT_TIMEOUT_MS = 8_000;

/** The leases of one process; lib/billing/README.md describes the protocol. */
export function createLeaseBook(settings: LeaseBookSettings): LeaseBook {
  return new NodeLeaseBook(settings);
}

class NodeLeaseBook implements LeaseBook {
  private readonly store: LeaseStore;
  private readonly timers: Timers;
  private readonly nodeId: string;
  private readonly nodeName: string;
  private readonly heartbeatMs: number;
  private readonly idleTicks: number;
  private readonly fenceMs: number;
  private readonly beatTimeoutMs: number;
  private readonly onError: (error: unknown) => void;
  private readonly patience: LeasePatience;
  private users = new Map<number, Slice>();
  private tokens = new Map<number, Slice>();
  private readonly worker: SliceWorker;
  private beatAt = Number.NEGATIVE_INFINITY;
  private beating: Promise<void> | null = null;
  private tick = 0;
  private stopped = false;
  private endTicks = (): void => {};
  private unlisten: (() => Promise<void>) | undefined;

  constructor(settings: LeaseBookSettings) {
    this.store = settings.store;
    this.timers = settings.timers ?? systemTimers;
    this.nodeId = settings.nodeId;
    this.nodeName = settings.nodeName ?? "";
    this.heartbeatMs = settings.heartbeatMs ?? 5_000;
    this.idleTicks = Math.max(1, Math.round((settings.idleMs ?? 30_000) / this.heartbeatMs));
    this.fenceMs = settings.fenceMs ?? 20_000;
    this.beatTimeoutMs = Math.min(this.fenceMs, BEAT_TIMEOUT_MS);
    this.onError = settings.onError ?? (() => {});
    this.patience = createLeasePatience(this.timers, settings.retryMs ?? 2_000);
    this.worker = createSliceWorker({
      store: this.store,
      timers: this.timers,
      nodeId: this.nodeId,
      tick: () => this.tick,
      rejoin: () => this.beat(),
      onError: this.onError,
    });
  }

  async start(): Promise<void> {
    await this.beat();
    this.unlisten = await this.store.listen(
      (text) => this.onNotice(text),
      () => this.recheckAll(),
    );
    this.endTicks = this.timers.every(this.heartbeatMs, () => this.onTick());
  }

  rejoin(): Promise<void> {
    return this.beat();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.endTicks();
    await this.unlisten?.().catch(this.onError);
    await Promise.allSettled([this.worker.settled(), this.beating]);
    await within(this.timers, this.fenceMs, this.store.leave(this.nodeId));
    this.dropSlices();
  }

  reserve(request: ReserveRequest): Reservation | Refusal | Promise<Reservation | Refusal> {
    const { userId, tokenId, amount, most = amount, least = amount, fair = amount } = request;
    if (!(Number.isSafeInteger(amount) && amount >= 0)) throw new RangeError(`not an amount to reserve: ${amount}`);
    if (this.isFresh()) {
      const user = this.users.get(userId);
      const token = tokenId === null ? null : this.tokens.get(tokenId);
      if (user && token !== undefined) {
        const plenty = most * PLENTY;
        if (fits(user, plenty) && (token === null || fits(token, plenty))) return this.take(user, token, most);
        if (fits(user, amount) && (token === null || fits(token, amount))) return this.take(user, token, amount);
      }
    }
    return this.reserveSlowly(userId, tokenId, { amount, least, fair });
  }

  extend(reservation: Reservation, want: Want): number | Promise<number> {
    if (!(reservation instanceof HeldReservation) || reservation.state !== "open") return 0;
    const { user, token } = reservation;
    const { amount } = want;
    if (this.isFresh() && !user.gone && fits(user, amount) && (token === null || fits(token, amount))) {
      this.take(user, token, amount);
      reservation.grow(amount);
      return amount;
    }
    return this.extendSlowly(reservation, want);
  }

  split(reservation: Reservation, amount: number): Reservation {
    if (!(reservation instanceof HeldReservation) || reservation.state !== "open")
      throw new Error("only an open reservation can be divided");
    return reservation.split(amount);
  }

  private isFresh(): boolean {
    return this.timers.now() - this.beatAt < this.fenceMs && !this.stopped;
  }

  isFenced(): boolean {
    return !this.isFresh();
  }

  held(): { leases: number; quota: number } {
    let quota = 0;
    for (const { lease } of this.users.values()) quota += lease;
    return { leases: this.users.size + this.tokens.size, quota };
  }

  release(reservation: Reservation): void {
    if (reservation instanceof HeldReservation && reservation.state === "open") reservation.close();
  }

  settleAt(reservation: Reservation, cost: number): void {
    if (reservation instanceof HeldReservation) reservation.settleAt(cost);
  }

  applied(charges: readonly AppliedCharge[], reservations: readonly (Reservation | null)[]): void {
    for (const charge of charges) {
      const slice = this.find(charge);
      if (!slice) continue;
      slice.lease -= charge.dropped;
      // Admit nothing more on a balance that is used up, even if this process still holds part of it.
      if (charge.left <= 0) slice.recheck = slice.trim = true;
    }
    for (const reservation of reservations) {
      if (reservation instanceof HeldReservation) reservation.close();
    }
  }

  private take(user: Slice, token: Slice | null, amount: number): HeldReservation {
    user.reserved += amount;
    user.usedTick = this.tick;
    if (token) {
      token.reserved += amount;
      token.usedTick = this.tick;
    }
    return new HeldReservation(user, token, amount);
  }

  private reserveSlowly(userId: number, tokenId: number | null, want: Want): Promise<Reservation | Refusal> {
    return this.patience.ask(
      () => this.reserveOnce(userId, tokenId, want),
      (error) => !this.stopped && isTransient(sqlStateOf(error)),
      (late) => {
        if (late instanceof HeldReservation) this.release(late);
      },
    );
  }

  private async reserveOnce(userId: number, tokenId: number | null, want: Want): Promise<Reservation | Refusal> {
    for (;;) {
      if (this.stopped) throw new Error("the lease book is stopped");
      if (!this.isFresh()) await this.beat();
      const user = this.slice({ userId, tokenId: 0 });
      const token = tokenId === null ? null : this.slice({ userId, tokenId });
      const outcome = await this.obtainBoth(user, token, want);
      if (typeof outcome === "number") return new HeldReservation(user, token, outcome);
      if (outcome !== "gone") return outcome;
    }
  }

  private async extendSlowly(reservation: HeldReservation, want: Want): Promise<number> {
    const { user, token } = reservation;
    try {
      if (!this.isFresh()) await this.beat();
      const outcome = await this.obtainBoth(user, token, want);
      if (outcome === "gone") throw new Error("the slices of the reservation are gone");
      if (typeof outcome !== "number") return 0;
      if (reservation.state !== "open") {
        giveUp(user, token, outcome);
        return 0;
      }
      reservation.grow(outcome);
      return outcome;
    } catch (error) {
      throw away(error);
    }
  }

  /** Takes the same amount from both slices. */
  private async obtainBoth(user: Slice, token: Slice | null, want: Want): Promise<number | Refusal | "gone"> {
    const fromUser = await this.obtain(user, want);
    if (typeof fromUser !== "number") return refusalOf(fromUser, REFUSED_USER, HELD_USER);
    if (token === null) return user.gone ? "gone" : fromUser;
    try {
      const amount = fromUser;
      const fromToken = await this.obtain(token, { amount, least: want.least, fair: Math.min(want.fair, amount) });
      if (typeof fromToken !== "number") {
        user.reserved -= fromUser;
        return refusalOf(fromToken, REFUSED_TOKEN, HELD_TOKEN);
      }
      user.reserved -= fromUser - fromToken;
      if (!user.gone && !token.gone) return fromToken;
      giveUp(user, token, fromToken);
      return "gone";
    } catch (error) {
      user.reserved -= fromUser;
      throw error;
    }
  }

  private obtain(slice: Slice, want: Want): Promise<Obtained> {
    if (slice.gone) return Promise.resolve("gone");
    return new Promise((resolve, reject) => {
      slice.usedTick = this.tick;
      slice.queue.push({ ...want, resolve, reject });
      this.worker.work(slice);
    });
  }

  private find(key: LeaseKey): Slice | undefined {
    return key.tokenId === 0 ? this.users.get(key.userId) : this.tokens.get(key.tokenId);
  }

  private slice(key: LeaseKey): Slice {
    const known = this.find(key);
    if (known) return known;
    const slice = emptySlice(key, this.tick);
    if (key.tokenId === 0) this.users.set(key.userId, slice);
    else this.tokens.set(key.tokenId, slice);
    return slice;
  }

  /** Runs one heartbeat at a time. If the node was swept in the meantime, its slices are dropped. */
  private beat(): Promise<void> {
    this.beating ??= this.beatOnce().finally(() => {
      this.beating = null;
    });
    return this.beating;
  }

  private async beatOnce(): Promise<void> {
    const startedAt = this.timers.now();
    const known = await within(this.timers, this.beatTimeoutMs, this.store.heartbeat(this.nodeId, this.nodeName));
    if (!known) this.dropSlices();
    this.beatAt = startedAt;
  }

  private dropSlices(): void {
    const dropped = [...this.users.values(), ...this.tokens.values()];
    this.users = new Map();
    this.tokens = new Map();
    for (const slice of dropped) {
      slice.gone = true;
      for (const waiter of slice.queue.splice(0)) waiter.resolve("gone");
    }
  }

  private onTick(): void {
    this.tick++;
    this.beat().catch(this.onError);
    if (this.tick % LEASE_CHECK_TICKS === 0) this.returnUnknown().catch(this.onError);
    for (const slices of [this.users, this.tokens]) {
      for (const [id, slice] of slices) {
        if (slice.busy || this.tick - slice.usedTick < this.idleTicks) continue;
        // Below zero: settlements whose reply was lost were subtracted in full, and the row may hold more.
        if (slice.trim || freeOf(slice) > 0 || slice.lease < 0) this.callIn(slice);
        else if (slice.lease === 0 && slice.reserved === 0) slices.delete(id);
      }
    }
  }

  private onNotice(text: string): void {
    const notice = parseBalanceNotice(text);
    if (!notice || notice.sender === this.nodeId) return;
    const slice = this.find(notice);
    if (slice) this.callIn(slice);
  }

  /** The connection was lost, so notices may be, and after a fail-over also the latest changes of leases. */
  private recheckAll(): void {
    for (const slices of [this.users, this.tokens]) for (const slice of slices.values()) slice.recheck = true;
    this.returnUnknown().catch(this.onError);
  }

  /** Returns what only the database knows of: a fail-over may have lost the record of its return. */
  private async returnUnknown(): Promise<void> {
    const leases = await within(this.timers, this.fenceMs, this.store.leasesOf(this.nodeId));
    if (this.stopped) return;
    for (const lease of leases) {
      const slice = this.find(lease);
      if (!slice || (!slice.busy && lease.amount > slice.lease)) this.callIn(this.slice(lease));
    }
  }

  private callIn(slice: Slice): void {
    slice.recheck = true;
    slice.trim = true;
    this.worker.work(slice);
  }
}

function giveUp(user: Slice, token: Slice | null, amount: number): void {
  user.reserved -= amount;
  if (token) token.reserved -= amount;
}

function refusalOf(outcome: Exclude<Obtained, number>, refused: Refusal, held: Refusal): Refusal | "gone" {
  if (outcome === "gone") return "gone";
  return outcome === "refused" ? refused : held;
}
