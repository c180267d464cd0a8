import { LRUCache } from "lru-cache";
import type { Allowance, Taken } from "./commands";

/** `retryAfter`: seconds until as much may be admitted, at least 1. */
export type Refused = { refused: true; retryAfter: number };

export type RateLimiterSettings = {
  take: (allowance: Allowance, wanted: number) => Promise<Taken>;
  /** Returns admissions to the window they are of. */
  giveBack: (allowance: Allowance, amount: number, window: number) => Promise<void>;
  /** Counts what was used beyond what was admitted, whatever the limit is. */
  charge: (allowance: Allowance, amount: number) => Promise<void>;
  onError: (error: unknown) => void;
  now?: () => number;
};

/** What is left of a limit as this process knows it. */
export type Standing = { limit: number; remaining: number; resetSeconds: number };

type Waiter = { amount: number; resolve: (outcome: true | Refused) => void; reject: (error: unknown) => void };

/** The admissions of one subject's window that this process holds. */
type Slice = {
  allowance: Allowance;
  free: number;
  /** The window of `free`, as the database numbers it; 0 = none yet. */
  window: number;
  endsAt: number;
  /** What was left for all processes when the window was last read. */
  left: number;
  refused: Refused | null;
  /** As much or more was refused. */
  refusedAmount: number;
  refusedUntil: number;
  /** Used beyond what was admitted, and not counted in the database yet. */
  owed: number;
  isPaying: boolean;
  waiters: Waiter[];
  isBusy: boolean;
};

/** A process takes at most this fraction (1/16) of what is left at a time, unless more requests wait. */
const SHARE = 16;
/** How long a refusal is reused before the window is read again. */
const refusalMs = 1_000;
const subjectsMax = 50_000;

/**
 * Limits what each subject is admitted in a sliding time window: requests, or tokens in any amount. The database counts
 * for all processes, and a process fetches admissions in slices: a sixteenth of what is left, at least what is asked
 * for. The limit is never exceeded. A busy subject costs about 16 × ln(limit) statements per window instead of one per
 * request, and at most (processes − 1)/16 of a limit can lie unused in other processes.
 */
export class RateLimiter {
  private readonly settings: RateLimiterSettings;
  private readonly now: () => number;
  private readonly slices = new LRUCache<string, Slice>({ max: subjectsMax });

  constructor(settings: RateLimiterSettings) {
    this.settings = settings;
    this.now = settings.now ?? (() => performance.now());
  }

  /** Whether so much more is admitted. Returns synchronously when this process holds as many admissions. */
  admit(allowance: Allowance, amount = 1): true | Refused | Promise<true | Refused> {
    const slice = this.sliceOf(allowance);
    const at = this.now();
    if (slice.free >= amount && at < slice.endsAt) {
      slice.free -= amount;
      return true;
    }
    if (slice.refused && at < slice.refusedUntil && amount >= slice.refusedAmount) return slice.refused;
    return new Promise((resolve, reject) => {
      slice.waiters.push({ amount, resolve, reject });
      if (!slice.isBusy) void this.work(slice);
    });
  }

  /** The window of what was admitted last. */
  windowOf(allowance: Allowance): number {
    return this.sliceOf(allowance).window;
  }

  /** Returns admissions, for what is not counted after all. `window`: the one they were admitted in. */
  giveBack(allowance: Allowance, amount = 1, window = this.sliceOf(allowance).window): void {
    const slice = this.sliceOf(allowance);
    slice.refused = null;
    const isOfNow = window === slice.window && this.now() < slice.endsAt;
    const kept = isOfNow ? Math.min(amount, Math.max(0, Math.floor(allowance.limit / SHARE) - slice.free)) : 0;
    slice.free += kept;
    const { giveBack, onError } = this.settings;
    if (amount > kept) giveBack(allowance, amount - kept, window).catch(onError);
  }

  /** Corrects an admission of an estimate to what was really used. */
  settle(allowance: Allowance, window: number, admitted: number, used: number): void {
    if (used <= admitted) {
      if (used < admitted) this.giveBack(allowance, admitted - used, window);
      return;
    }
    const slice = this.sliceOf(allowance);
    const over = used - admitted;
    const fromFree = this.now() < slice.endsAt ? Math.min(over, slice.free) : 0;
    slice.free -= fromFree;
    slice.owed += over - fromFree;
    slice.left = Math.max(0, slice.left - (over - fromFree));
    if (slice.owed > 0 && !slice.isPaying) void this.pay(slice);
  }

  standing(allowance: Allowance): Standing {
    const { limit, seconds } = allowance;
    const slice = this.sliceOf(allowance);
    const lastsMs = slice.endsAt - this.now();
    if (lastsMs <= 0) return { limit, remaining: limit, resetSeconds: seconds };
    return { limit, remaining: slice.left + slice.free, resetSeconds: lastsMs / 1_000 };
  }

  /** What is left for all processes, with what this one holds; for who asks without sending a request. */
  async look(allowance: Allowance): Promise<Standing> {
    const { limit, seconds } = allowance;
    const taken = await this.settings.take(allowance, 0);
    const slice = this.sliceOf(allowance);
    const free = slice.window === taken.window ? slice.free : 0;
    const remaining = Math.min(limit, leftOf(taken, allowance) + free);
    return { limit, remaining, resetSeconds: seconds - taken.elapsed };
  }

  private sliceOf(allowance: Allowance): Slice {
    const present = this.slices.get(allowance.subject);
    const known = present?.allowance;
    if (present && known?.limit === allowance.limit && known.seconds === allowance.seconds) return present;
    const slice = emptySlice(allowance);
    this.slices.set(allowance.subject, slice);
    return slice;
  }

  private async work(slice: Slice): Promise<void> {
    slice.isBusy = true;
    try {
      while (slice.waiters.length > 0) {
        const outcome = await this.fetchSlice(slice);
        if (outcome !== true) refuse(slice, outcome);
        serve(slice);
      }
    } catch (error) {
      for (const waiter of slice.waiters.splice(0)) waiter.reject(error);
    } finally {
      slice.isBusy = false;
    }
  }

  /** Asks for a slice, then for smaller ones, until enough for the first that waits is granted or less is left. */
  private async fetchSlice(slice: Slice): Promise<true | Refused> {
    const { allowance } = slice;
    if (this.now() >= slice.endsAt) Object.assign(slice, { left: allowance.limit, free: 0 });
    const first = slice.waiters[0]?.amount ?? 1;
    const needed = Math.max(1, first - slice.free);
    const all = slice.waiters.reduce((sum, { amount }) => sum + amount, -slice.free);
    let wanted = Math.min(Math.max(needed, slice.left), Math.max(needed, Math.ceil(slice.left / SHARE), all));
    for (;;) {
      const taken = await this.settings.take(allowance, wanted);
      slice.left = leftOf(taken, allowance);
      if (taken.granted) {
        // Admissions of an earlier window are void.
        slice.free = (slice.window === taken.window ? slice.free : 0) + wanted;
        slice.window = taken.window;
        slice.endsAt = this.now() + (allowance.seconds - taken.elapsed) * 1_000;
        return true;
      }
      if (wanted <= needed || slice.left < needed) {
        const wait = retryAfter(taken, allowance, needed);
        Object.assign(slice, { refused: { refused: true, retryAfter: wait }, refusedAmount: first });
        slice.refusedUntil = this.now() + Math.min(refusalMs, wait * 1_000);
        return { refused: true, retryAfter: wait };
      }
      wanted = Math.min(slice.left, Math.max(needed, Math.floor(wanted / 2)));
    }
  }

  /** Counts what is owed, one statement at a time. What fails is lost, as the window soon is. */
  private async pay(slice: Slice): Promise<void> {
    slice.isPaying = true;
    while (slice.owed > 0) {
      const amount = slice.owed;
      slice.owed = 0;
      await this.settings.charge(slice.allowance, amount).catch(this.settings.onError);
    }
    slice.isPaying = false;
  }
}

function emptySlice(allowance: Allowance): Slice {
  return {
    allowance,
    free: 0,
    window: 0,
    endsAt: 0,
    left: allowance.limit,
    refused: null,
    refusedAmount: 0,
    refusedUntil: 0,
    owed: 0,
    isPaying: false,
    waiters: [],
    isBusy: false,
  };
}

/** Lets go those that wait, in their order, as far as the admissions reach. */
function serve(slice: Slice): void {
  for (let first = slice.waiters[0]; first && first.amount <= slice.free; first = slice.waiters[0]) {
    slice.waiters.shift();
    slice.free -= first.amount;
    first.resolve(true);
  }
}

/** The first that waits, and all that ask for as much or more. */
function refuse(slice: Slice, outcome: Refused): void {
  const { refusedAmount } = slice;
  const refused = slice.waiters.filter(({ amount }) => amount >= refusedAmount);
  slice.waiters = slice.waiters.filter(({ amount }) => amount < refusedAmount);
  for (const waiter of refused) waiter.resolve(outcome);
}

function leftOf({ previous, count, elapsed }: Taken, { limit, seconds }: Allowance): number {
  return Math.max(0, Math.floor(limit - previous * (1 - elapsed / seconds)) - count);
}

/** Seconds until the sliding count allows so much more, if nothing else is admitted in the meantime. Pure. */
export function retryAfter({ previous, count, elapsed }: Taken, { limit, seconds }: Allowance, amount = 1): number {
  // The previous window's share shrinks linearly. If this window alone leaves too little, the next one must begin first.
  const room = limit - amount;
  const inThisWindow = count <= room ? seconds * (1 - (room - count) / Math.max(1, previous)) : seconds;
  const wait =
    inThisWindow < seconds
      ? inThisWindow - elapsed
      : seconds - elapsed + Math.max(0, seconds * (1 - room / Math.max(1, count)));
  return Math.max(1, Math.ceil(wait));
}
