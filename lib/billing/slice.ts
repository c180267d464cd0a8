import type { LeaseKey } from "./billing-store";
import type { Reservation } from "./types";

/** How much a request takes: `amount` if there is that much, less where there is less, but never below `least`. */
export type Want = {
  amount: number;
  least: number;
  /** Of what is left of a balance a request gets at most half, so that others find something; but this much is its own. */
  fair: number;
};

/** What a waiting request got, or why it got nothing. */
export type Obtained = number | "refused" | "held" | "gone";

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
  /** Sums over all settlements ever: costs that became known, and costs whose flush was reported. */
  settled: number;
  reported: number;
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
    settled: 0,
    reported: 0,
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

/** What this process has yet to book on it. The rest of `reserved` is held by running requests, which may return it. */
export function unbookedOf(slice: Slice): number {
  return slice.settled - slice.reported;
}

/** Whether the amount can be reserved without the database and without overtaking a waiting request. */
export function fits(slice: Slice, amount: number): boolean {
  return !slice.recheck && slice.queue.length === 0 && slice.lease - slice.reserved >= amount;
}

/** Where the slice and its row stood when a statement was sent. */
export type Standing = { lease: number; reported: number };

export function standingOf({ lease, reported }: Slice): Standing {
  return { lease, reported };
}

/**
 * Corrects the slice by what the statement found in its row. The row can hold more, when the reply to a grant or the
 * record of a return was lost. It can hold less, when a fail-over lost a grant; the costs of settlements whose flush may
 * have lowered the row, but is not reported yet, do not count as such a loss.
 */
export function adoptRow(slice: Slice, before: Standing, held: number): void {
  const unreported = slice.settled - before.reported;
  if (held > before.lease) slice.lease += held - before.lease;
  else slice.lease -= Math.max(0, before.lease - held - unreported);
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

  /** Gives a part of it to another reservation of the same slices. */
  split(amount: number): HeldReservation {
    const part = Math.min(amount, this.amount);
    this.amount -= part;
    return new HeldReservation(this.user, this.token, part);
  }

  /** Replaces the estimate with the real cost; after this only `close` frees it. */
  settleAt(cost: number): void {
    if (this.state !== "open") return;
    this.state = "settling";
    for (const slice of [this.user, this.token]) {
      if (!slice) continue;
      slice.reserved += cost - this.amount;
      slice.settled += cost;
    }
    this.amount = cost;
  }

  close(): void {
    if (this.state === "closed") return;
    for (const slice of [this.user, this.token]) {
      if (!slice) continue;
      slice.reserved -= this.amount;
      if (this.state === "settling") slice.reported += this.amount;
    }
    this.state = "closed";
  }
}
