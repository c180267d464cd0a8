import { setTimeout as delay } from "node:timers/promises";

export type ConcurrencySettings = {
  take: (userId: number, limit: number, wanted: number) => Promise<boolean>;
  giveBack: (userId: number, amount: number) => Promise<void>;
  /** Frees what processes that are gone had taken. */
  repair: (userId: number) => Promise<void>;
  onError: (error: unknown) => void;
  /** A place that is free waits so long for the next request of its user before it goes back. */
  lingerMs?: number;
};

type Waiter = { resolve: (entered: boolean) => void; reject: (error: unknown) => void };
type Holding = { limit: number; free: number; inUse: number; waiters: Waiter[]; isBusy: boolean; returning: boolean };

const lingerDefaultMs = 20;
const TRIES = 3;
const GIVE_BACK_TRIES = 20;
const repairEveryMs = 5_000;

/**
 * Places of a user's requests in flight, counted in the database for all processes together, so that the limit is never
 * exceeded. Asked for users with a limit only. A place that a request leaves serves the next one of the same user here;
 * unused, it goes back after a moment, which is why a refusal is tried again before it is believed.
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

  /** Keeps trying: a place that is not given back would be missing until this process ends. */
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
    /** Takes a place; false = all are in use. Leave it exactly once. */
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
    /** Gives everything back; call it when nothing is in flight any more. */
    async stop(): Promise<void> {
      const free = [...holdings].filter(([, { free }]) => free > 0);
      holdings.clear();
      await Promise.all(free.map(([userId, { free }]) => settings.giveBack(userId, free).catch(settings.onError)));
    },
  };
}
