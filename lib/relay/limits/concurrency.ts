import { setTimeout as delay } from "node:timers/promises";

export type ConcurrencySettings = {
  take: (userId: number, limit: number, wanted: number) => Promise<boolean>;
  giveBack: (userId: number, amount: number) => Promise<void>;
  /** Frees the slots of dead processes. */
  repair: (userId: number) => Promise<void>;
  onError: (error: unknown) => void;
  /** How long a free slot waits for the user's next request before it is returned. Default 20 ms. */
  lingerMs?: number;
};

type Waiter = { resolve: (entered: boolean) => void; reject: (error: unknown) => void };
type Holding = { limit: number; free: number; inUse: number; waiters: Waiter[]; isBusy: boolean; returning: boolean };

const lingerDefaultMs = 20;
const TRIES = 3;
const GIVE_BACK_TRIES = 20;
const repairEveryMs = 5_000;

/**
 * Limits a user's concurrent requests. Slots are counted in the database for all processes, so the limit is never
 * exceeded. Called only for users with a limit. A released slot serves the user's next request in this process; if
 * unused, it is returned after `lingerMs`. For this reason a refusal is final only after retries.
 */
export function createConcurrency(settings: ConcurrencySettings) {
  const { lingerMs = lingerDefaultMs } = settings;
  const holdings = new Map<number, Holding>();
  const repairedAt = new Map<number, number>();

  function holdingOf(userId: number, limit: number): Holding {
    const holding = holdings.get(userId) ?? {
      limit,
      free: 0,
      inUse: 0,
      waiters: [],
      isBusy: false,
      returning: false,
    };
    holding.limit = limit;
    holdings.set(userId, holding);
    return holding;
  }

  async function work(userId: number, holding: Holding): Promise<void> {
    holding.isBusy = true;
    try {
      while (holding.waiters.length > 0) {
        if (holding.free === 0) await obtain(userId, holding);
        if (holding.free === 0) for (const waiter of holding.waiters.splice(0)) waiter.resolve(false);
        for (const waiter of holding.waiters.splice(0, holding.free)) {
          holding.free -= 1;
          holding.inUse += 1;
          waiter.resolve(true);
        }
      }
    } catch (error) {
      for (const waiter of holding.waiters.splice(0)) waiter.reject(error);
    } finally {
      holding.isBusy = false;
      leaveLater(userId, holding);
    }
  }

  async function obtain(userId: number, holding: Holding): Promise<void> {
    for (let attempt = 1; attempt <= TRIES && holding.free === 0; attempt++) {
      const wanted = Math.min(holding.waiters.length, holding.limit - holding.inUse);
      for (let ask = wanted; ask >= 1 && holding.free === 0; ask = Math.floor(ask / 2)) {
        if (await settings.take(userId, holding.limit, ask)) holding.free += ask;
      }
      if (holding.free > 0 || attempt === TRIES) return;
      if (Date.now() - (repairedAt.get(userId) ?? 0) > repairEveryMs) {
        if (repairedAt.size > 10_000) repairedAt.clear();
        repairedAt.set(userId, Date.now());
        await settings.repair(userId);
      } else await delay(lingerMs * 1.5);
    }
  }

  function leaveLater(userId: number, holding: Holding): void {
    if (holding.returning) return;
    holding.returning = true;
    const timer = setTimeout(() => {
      holding.returning = false;
      if (holding.isBusy) return;
      const amount = holding.free;
      holding.free = 0;
      if (holding.inUse === 0) holdings.delete(userId);
      if (amount > 0) void giveBack(userId, amount);
    }, lingerMs);
    timer.unref();
  }

  /** Retries on errors: a slot that is not returned is missing until this process ends. */
  async function giveBack(userId: number, amount: number): Promise<void> {
    for (let attempt = 1; attempt <= GIVE_BACK_TRIES; attempt++) {
      try {
        return await settings.giveBack(userId, amount);
      } catch (error) {
        settings.onError(error);
        await delay(attempt * 500, undefined, { ref: false });
      }
    }
  }

  return {
    /** Takes a slot; false = all are in use. Call `leave` exactly once for each slot. */
    enter(userId: number, limit: number): boolean | Promise<boolean> {
      const holding = holdingOf(userId, limit);
      if (holding.free > 0 && holding.waiters.length === 0 && holding.inUse < limit) {
        holding.free -= 1;
        holding.inUse += 1;
        return true;
      }
      return new Promise((resolve, reject) => {
        holding.waiters.push({ resolve, reject });
        if (!holding.isBusy) void work(userId, holding);
      });
    },
    leave(userId: number): void {
      const holding = holdings.get(userId);
      if (!holding) return;
      holding.inUse -= 1;
      holding.free += 1;
      leaveLater(userId, holding);
    },
    /** Returns all slots; call it when no request is in flight. */
    async stop(): Promise<void> {
      const free = [...holdings].filter(([, { free }]) => free > 0);
      holdings.clear();
      await Promise.all(free.map(([userId, { free }]) => settings.giveBack(userId, free).catch(settings.onError)));
    },
  };
}
