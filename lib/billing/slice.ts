import type { LeaseKey } from "./lease-queries";
import type { Reservation } from "./types";

/** Someone in line for quota of a slice. */
type Waiter = {
  amount: number;
  resolve: (outcome: "taken" | "refused" | "gone") => void;
  reject: (error: unknown) => void;
};

/**
 * What this process holds of one balance. Invariant: `lease` is never more than the lease's row says, because grants are
 * added after their commit, returns are taken off before theirs, and settlements take off what their flush reports.
 */
export type Slice = LeaseKey & {
  lease: number;
  /** Reserved by requests, settled ones at their real cost until the flush is committed. */
  reserved: number;
  /** Ask the database before admitting more. */
  recheck: boolean;
  /** Give back what is free, and whatever the row has beyond `lease`. */
  trim: boolean;
  /** The node was swept: this slice is worth nothing and a new one takes its place. */
  gone: boolean;
  /** A statement about this slice is under way; there is one at a time. */
  busy: boolean;
  queue: Waiter[];
  /** How many reservations' worth is asked for ahead. */
  ahead: number;
  askedTick: number;
  usedTick: number;
};

/** A slice that holds nothing yet. */
export function emptySlice(key: LeaseKey, tick: number): Slice {
  return {
    userId: key.userId,
    tokenId: key.tokenId,
    lease: 0,
    reserved: 0,
    recheck: true,
    trim: false,
    gone: false,
    busy: false,
    queue: [],
    ahead: 16,
    askedTick: tick,
    usedTick: tick,
  };
}

/** What may still be reserved; below zero after a settlement that exceeded its reservation. */
export function freeOf(slice: Slice): number {
  return slice.lease - slice.reserved;
}

/** Whether the amount can be reserved at once, without the database and without overtaking anyone. */
export function fits(slice: Slice, amount: number): boolean {
  return !slice.recheck && slice.queue.length === 0 && slice.lease - slice.reserved >= amount;
}

/** A reservation and the slices it stands on. */
export class HeldReservation implements Reservation {
  readonly user: Slice;
  readonly token: Slice | null;
  amount: number;
  state: "open" | "settling" | "closed" = "open";

  constructor(user: Slice, token: Slice | null, amount: number) {
    this.user = user;
    this.token = token;
    this.amount = amount;
  }

  get userId(): number {
    return this.user.userId;
  }

  get tokenId(): number | null {
    return this.token?.tokenId ?? null;
  }

  /** Puts the real cost in place of the estimate; from now on only `close` frees it. */
  settleAt(cost: number): void {
    if (this.state !== "open") return;
    this.state = "settling";
    this.user.reserved += cost - this.amount;
    if (this.token) this.token.reserved += cost - this.amount;
    this.amount = cost;
  }

  close(): void {
    if (this.state === "closed") return;
    this.state = "closed";
    this.user.reserved -= this.amount;
    if (this.token) this.token.reserved -= this.amount;
  }
}
