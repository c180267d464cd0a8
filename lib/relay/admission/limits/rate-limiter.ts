import { LRUCache } from "lru-cache";
import type { Allowance, Taken, Want } from "./commands";

/** `retryAfter`: seconds until as much may be admitted. */
export type Refused = { refused: true; retryAfter: number };

export type RateLimiterSettings = {
  take: (allowance: Allowance, want: Want) => Promise<Taken>;
  /** Returns admissions to the moment they count from. */
  giveBack: (allowance: Allowance, amount: number, stamp: number) => Promise<void>;
  /** Counts what was used beyond what was admitted, whatever the limit is. */
  charge: (allowance: Allowance, amount: number) => Promise<void>;
  onError: (error: unknown) => void;
  now?: () => number;
};

/** What is left of a limit as this process knows it. `resetSeconds`: until more is left where nothing is, else until all is. */
export type Standing = { limit: number; remaining: number; resetSeconds: number };

type Waiter = { amount: number; resolve: (outcome: true | Refused) => void; reject: (error: unknown) => void };

/** The admissions of one subject that this process holds. */
type Slice = {
  allowance: Allowance;
  free: number;
  /** The moments from which those count that were admitted last, and those that are free, as the database tells them. */
  stamp: number;
  freeStamp: number;
  /** Until when `free` may be used. */
  freeUntil: number;
  /** What was left for all processes when that was last read. */
  left: number;
  /** When something is left again, and when all is. */
  nextAt: number;
  resetAt: number;
  /** As much or more was refused. */
  refusedAmount: number;
  refusedUntil: number;
  /** When the refused amount fits. */
  fitsAt: number;
  /** Used beyond what was admitted, and not counted in the database yet. */
  owed: number;
  isPaying: boolean;
  waiters: Waiter[];
  isBusy: boolean;
};

/** A process takes at most this fraction (1/16) of what is left at a time, unless more requests wait. */
const SHARE = 16;
/** How long a refusal is reused before the count is read again. */
const refusalMs = 1_000;
/** What is taken in advance is used within this part of the time, and at most so many seconds. */
const HOLD_SHARE = 1 / 16;
const HOLD_SECONDS_MAX = 60;
const subjectsMax = 50_000;

/**
 * Limits what each subject is admitted in a time: requests, or tokens in any amount. Any span of that length has the limit at
 * most, and what was admitted is free again when that time is over. The database counts for all processes, and a process
 * takes admissions in slices: a sixteenth of what is left, at least what is asked for. So a busy subject costs few
 * statements, and at most (processes − 1)/16 of a limit can lie unused in other processes.
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
    if (slice.free >= amount && at < slice.freeUntil) {
      slice.free -= amount;
      slice.stamp = slice.freeStamp;
      return true;
    }
    if (at < slice.refusedUntil && amount >= slice.refusedAmount) return this.refusalOf(slice);
    return new Promise((resolve, reject) => {
      slice.waiters.push({ amount, resolve, reject });
      if (!slice.isBusy) void this.work(slice);
    });
  }

  /** The moment from which that counts which was admitted last. */
  windowOf(allowance: Allowance): number {
    return this.sliceOf(allowance).stamp;
  }

  /** Returns admissions, for what is not counted after all. `stamp`: the moment that they count from. */
  giveBack(allowance: Allowance, amount = 1, stamp = this.sliceOf(allowance).stamp): void {
    const slice = this.sliceOf(allowance);
    slice.refusedUntil = 0;
    const isOfNow = stamp === slice.freeStamp && this.now() < slice.freeUntil;
    const kept = isOfNow ? Math.min(amount, Math.max(0, Math.floor(allowance.limit / SHARE) - slice.free)) : 0;
    slice.free += kept;
    slice.left += amount - kept;
    const { giveBack, onError } = this.settings;
    if (amount > kept) giveBack(allowance, amount - kept, stamp).catch(onError);
  }

  /** Corrects an admission of an estimate to what was really used. */
  settle(allowance: Allowance, stamp: number, admitted: number, used: number): void {
    if (used <= admitted) {
      if (used < admitted) this.giveBack(allowance, admitted - used, stamp);
      return;
    }
    const slice = this.sliceOf(allowance);
    const over = used - admitted;
    const fromFree = this.now() < slice.freeUntil ? Math.min(over, slice.free) : 0;
    slice.free -= fromFree;
    slice.owed += over - fromFree;
    slice.left = Math.max(0, slice.left - (over - fromFree));
    if (slice.owed > 0 && !slice.isPaying) void this.pay(slice);
  }

  standing(allowance: Allowance): Standing {
    const { limit } = allowance;
    const slice = this.sliceOf(allowance);
    const at = this.now();
    if (at >= slice.resetAt) return { limit, remaining: limit, resetSeconds: 0 };
    const remaining = slice.left + (at < slice.freeUntil ? slice.free : 0);
    const until = remaining > 0 ? slice.resetAt : slice.nextAt;
    return { limit, remaining, resetSeconds: Math.max(0, until - at) / 1_000 };
  }

  private refusalOf({ fitsAt }: Slice): Refused {
    return { refused: true, retryAfter: Math.max(0.001, (fitsAt - this.now()) / 1_000) };
  }

  /** What is left for all processes, with what this one holds; for who asks without sending a request. */
  async look(allowance: Allowance): Promise<Standing> {
    const taken = await this.settings.take(allowance, { wanted: 0, urgent: 0, needed: 0, hold: 0 });
    const slice = this.sliceOf(allowance);
    const free = this.now() < slice.freeUntil ? slice.free : 0;
    const { limit } = allowance;
    return { limit, remaining: Math.max(0, Math.min(limit, taken.remaining + free)), resetSeconds: taken.reset };
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

  /** Asks for what the first that waits needs, and for more in advance. */
  private async fetchSlice(slice: Slice): Promise<true | Refused> {
    const { allowance } = slice;
    const { limit, seconds } = allowance;
    await this.returnUnused(slice);
    const first = slice.waiters[0]?.amount ?? 1;
    const needed = Math.max(1, first - slice.free);
    const all = slice.waiters.reduce((sum, { amount }) => sum + amount, -slice.free);
    const left = this.now() >= slice.resetAt ? limit : slice.left;
    const urgent = Math.max(needed, all);
    const wanted = Math.max(urgent, Math.ceil(left / SHARE));
    const hold = Math.min(seconds * HOLD_SHARE, HOLD_SECONDS_MAX);
    const taken = await this.settings.take(allowance, { wanted, urgent, needed, hold });
    const at = this.now();
    slice.left = taken.remaining;
    slice.resetAt = at + taken.reset * 1_000;
    if (taken.granted > 0) {
      slice.nextAt = at + taken.wait * 1_000;
      // What was free before may be used no longer than before.
      slice.freeUntil = slice.free > 0 ? Math.min(slice.freeUntil, at + hold * 1_000) : at + hold * 1_000;
      slice.free += taken.granted;
      slice.stamp = taken.stamp;
      slice.freeStamp = taken.freeStamp;
      return true;
    }
    slice.fitsAt = at + taken.wait * 1_000;
    if (needed === 1) slice.nextAt = slice.fitsAt;
    slice.refusedAmount = first;
    slice.refusedUntil = at + Math.min(refusalMs, taken.wait * 1_000);
    return this.refusalOf(slice);
  }

  /** What was taken in advance and is too old to be used. */
  private async returnUnused(slice: Slice): Promise<void> {
    const { free, freeStamp, allowance } = slice;
    if (free === 0 || this.now() < slice.freeUntil) return;
    slice.free = 0;
    await this.settings.giveBack(allowance, free, freeStamp);
  }

  /** Counts what is owed, one statement at a time. What fails is lost, as the time soon is over. */
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
    stamp: 0,
    freeStamp: 0,
    freeUntil: 0,
    left: allowance.limit,
    nextAt: 0,
    resetAt: 0,
    refusedAmount: 0,
    refusedUntil: 0,
    fitsAt: 0,
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
