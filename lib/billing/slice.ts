import type { LeaseKey } from "./lease-queries";
import type { Reservation } from "./types";

/** How much a request takes: `amount` if there is that much, less where there is less, but never below `least`. */
export type Want = {
  amount: number;
  least: number;
  /** Of what is left of a balance a request gets at most half, so that others find something; but this much is its own. */
  fair: number;
};

/** What a waiting request got, or why it got nothing. */
export type Obtained = number | "refused" | "gone";

/** A request waiting for quota of a slice. */
type Waiter = Want & {
  resolve: (outcome: Obtained) => void;
  reject: (error: unknown) => void;
};

/**
 * The quota of one balance that this process holds. Invariant: `lease` never exceeds the lease's row, because grants
 * are added after their commit, returns are subtracted before theirs, and settlements subtract what their flush
 * reports.
 */
export type Slice = LeaseKey & {
  lease: number;
  /** Reserved by requests. Settled requests count with their real cost until the flush is committed. */
  reserved: number;
  /** Ask the database before admitting more. */
  recheck: boolean;
  /** Return the free part, and anything the row holds beyond `lease`. */
  trim: boolean;
  /** The node was swept: this slice is invalid and a new one replaces it. */
  gone: boolean;
  /** A statement for this slice is running; there is only one at a time. */
  busy: boolean;
  queue: Waiter[];
  /** How many times a reservation's amount to request in advance. */
  ahead: number;
  askedTick: number;
  usedTick: number;
};

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

/** What can still be reserved; negative after a settlement that exceeded its reservation. */
export function freeOf(slice: Slice): number {
  return slice.lease - slice.reserved;
}

/** Whether the amount can be reserved without the database and without overtaking a waiting request. */
export function fits(slice: Slice, amount: number): boolean {
  return !slice.recheck && slice.queue.length === 0 && slice.lease - slice.reserved >= amount;
}

/** A reservation with the slices it was taken from. */
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

  /** Adds quota that was taken from the slices. */
  grow(more: number): void {
    this.amount += more;
  }

  /** Replaces the estimate with the real cost; after this only `close` frees it. */
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
