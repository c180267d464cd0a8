import { LRUCache } from "lru-cache";
import type { Allowance, Taken } from "./commands";

/** `retryAfter`: seconds until another request may be admitted, at least 1. */
export type Refused = { refused: true; retryAfter: number };

export type RateLimiterSettings = {
  take: (allowance: Allowance, wanted: number) => Promise<Taken>;
  giveBack: (allowance: Allowance, amount: number) => Promise<void>;
  onError: (error: unknown) => void;
  now?: () => number;
};

type Waiter = { resolve: (outcome: true | Refused) => void; reject: (error: unknown) => void };

/** The admissions of one subject's window that this process holds. */
type Slice = {
  allowance: Allowance;
  free: number;
  endsAt: number;
  /** What was left for all processes when the window was last read. */
  left: number;
  refused: Refused | null;
  refusedUntil: number;
  waiters: Waiter[];
  isBusy: boolean;
};

/** A process takes at most this fraction (1/16) of what is left at a time, unless more requests wait. */
const SHARE = 16;
/** How long a refusal is reused before the window is read again. */
const refusalMs = 1_000;
const subjectsMax = 50_000;

/**
 * Limits requests per subject in a sliding time window. The database counts for all processes, and a process fetches
 * admissions in slices: a sixteenth of what is left, at least one. The limit is never exceeded. A busy subject costs
 * about 16 × ln(limit) statements per window instead of one per request, and at most (processes − 1)/16 of a limit can
 * lie unused in other processes.
 */
export function createRateLimiter(settings: RateLimiterSettings) {
  const { now = () => performance.now() } = settings;
  const slices = new LRUCache<string, Slice>({ max: subjectsMax });

  function sliceOf(allowance: Allowance): Slice {
    const present = slices.get(allowance.subject);
    const known = present?.allowance;
    if (present && known?.limit === allowance.limit && known.seconds === allowance.seconds) return present;
    const slice: Slice = {
      allowance,
      free: 0,
      endsAt: 0,
      left: allowance.limit,
      refused: null,
      refusedUntil: 0,
      waiters: [],
      isBusy: false,
    };
    slices.set(allowance.subject, slice);
    return slice;
  }

  async function work(slice: Slice): Promise<void> {
    slice.isBusy = true;
    try {
      while (slice.waiters.length > 0) {
        const outcome = await fetchSlice(slice);
        if (outcome !== true) for (const waiter of slice.waiters.splice(0)) waiter.resolve(outcome);
        for (const waiter of slice.waiters.splice(0, slice.free)) {
          slice.free -= 1;
          waiter.resolve(true);
        }
      }
    } catch (error) {
      for (const waiter of slice.waiters.splice(0)) waiter.reject(error);
    } finally {
      slice.isBusy = false;
    }
  }

  /** Asks for a slice, then for smaller ones, until some admissions are granted or none are left. */
  async function fetchSlice(slice: Slice): Promise<true | Refused> {
    const { allowance } = slice;
    if (now() >= slice.endsAt) slice.left = allowance.limit;
    let wanted = Math.min(Math.max(1, slice.left), Math.max(Math.ceil(slice.left / SHARE), slice.waiters.length));
    for (;;) {
      const taken = await settings.take(allowance, wanted);
      slice.left = leftOf(taken, allowance);
      if (taken.granted) {
        const endsAt = now() + (allowance.seconds - taken.elapsed) * 1_000;
        // Admissions of an earlier window are void.
        slice.free = (endsAt - slice.endsAt > 500 ? 0 : slice.free) + wanted;
        slice.endsAt = endsAt;
        return true;
      }
      if (wanted === 1 || slice.left < 1) {
        slice.refused = { refused: true, retryAfter: retryAfter(taken, allowance) };
        slice.refusedUntil = now() + Math.min(refusalMs, slice.refused.retryAfter * 1_000);
        return slice.refused;
      }
      wanted = Math.min(slice.left, Math.max(1, Math.floor(wanted / 2)));
    }
  }

  return {
    /** Whether one more request is admitted. Returns synchronously when this process holds admissions. */
    admit(allowance: Allowance): true | Refused | Promise<true | Refused> {
      const slice = sliceOf(allowance);
      const at = now();
      if (slice.free > 0 && at < slice.endsAt) {
        slice.free -= 1;
        return true;
      }
      if (slice.refused && at < slice.refusedUntil) return slice.refused;
      return new Promise((resolve, reject) => {
        slice.waiters.push({ resolve, reject });
        if (!slice.isBusy) void work(slice);
      });
    },
    /** Returns an admission, for a request that is not counted after all. */
    giveBack(allowance: Allowance): void {
      const slice = sliceOf(allowance);
      slice.refused = null;
      if (now() < slice.endsAt && slice.free < Math.floor(allowance.limit / SHARE)) slice.free += 1;
      else settings.giveBack(allowance, 1).catch(settings.onError);
    },
  };
}

export type RateLimiter = ReturnType<typeof createRateLimiter>;

function leftOf({ previous, count, elapsed }: Taken, { limit, seconds }: Allowance): number {
  return Math.max(0, Math.floor(limit - previous * (1 - elapsed / seconds)) - count);
}

/** Seconds until the sliding count allows one more request, if nothing else is admitted in the meantime. Pure. */
export function retryAfter({ previous, count, elapsed }: Taken, { limit, seconds }: Allowance): number {
  // The previous window's share shrinks linearly. If this window alone reaches the limit, the next window must begin
  // first.
  const inThisWindow = count < limit ? seconds * (1 - (limit - 1 - count) / Math.max(1, previous)) : seconds;
  const wait =
    inThisWindow < seconds
      ? inThisWindow - elapsed
      : seconds - elapsed + Math.max(0, seconds * (1 - (limit - 1) / Math.max(1, count)));
  return Math.max(1, Math.ceil(wait));
}
