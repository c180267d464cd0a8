import { setTimeout as delay } from "node:timers/promises";
import { FairQueue } from "./fair-queue";

export type ConcurrencySettings = {
  take: (subject: string, limit: number, wanted: number) => Promise<boolean>;
  giveBack: (subject: string, amount: number) => Promise<void>;
  /** Frees the slots of dead processes. */
  repair: (subject: string) => Promise<void>;
  /** Tells the others that so many owners wait here, 0 = none any more; returns how many wait at the others. */
  tellWaiting: (subject: string, owners: number) => Promise<number>;
  onError: (error: unknown) => void;
  /** How long a free slot waits for the subject's next request before it is returned. Default 20 ms. */
  lingerMs?: number;
  /** How often a process where somebody waits asks for a slot. Default 100 ms. */
  pollMs?: number;
};

export type Ask = {
  /** A user, a token or a channel. */
  subject: string;
  limit: number;
  /** Owners take turns where several wait for one subject. */
  owner: number;
  /** How long it may wait for a slot; 0 = not at all. */
  waitMs: number;
  /** How many of one owner may wait here for one subject. */
  waitersMax: number;
};

export type Entered = {
  isIn: boolean;
  /** Its turn in this process when it came; 0 = it did not wait. */
  position: number;
};

type Waiter = Ask & {
  since: number;
  until: number;
  position: number;
  resolve: (entered: Entered) => void;
  reject: (error: unknown) => void;
};

type Holding = {
  limit: number;
  free: number;
  inUse: number;
  queue: FairQueue<Waiter>;
  /** Slots to return to the database as they become free, because others wait for them. */
  toYield: number;
  isBusy: boolean;
  returning: boolean;
};

const lingerDefaultMs = 20;
const pollDefaultMs = 100;
/** Asking the database takes a moment even where a slot is free. */
const WAITED_MS = 50;
const TRIES = 3;
const GIVE_BACK_TRIES = 20;
const repairEveryMs = 5_000;
const AT_ONCE: Entered = Object.freeze({ isIn: true, position: 0 });

/**
 * Limits the concurrent requests of each subject. Slots are counted in the database for all processes, so the limit is
 * never exceeded. Called only for subjects with a limit. A released slot serves the next request in this process; if
 * unused, it is returned after `lingerMs`. For this reason a refusal is final only after retries. Where requests may
 * wait, owners take turns, and a process returns slots to others where more owners wait for them.
 */
export function createConcurrency(settings: ConcurrencySettings) {
  return new Places(settings);
}

export type Concurrency = ReturnType<typeof createConcurrency>;

class Places {
  private readonly settings: ConcurrencySettings;
  private readonly lingerMs: number;
  private readonly pollMs: number;
  private readonly holdings = new Map<string, Holding>();
  private readonly repairedAt = new Map<string, number>();

  constructor(settings: ConcurrencySettings) {
    this.settings = settings;
    this.lingerMs = settings.lingerMs ?? lingerDefaultMs;
    this.pollMs = settings.pollMs ?? pollDefaultMs;
  }

  /** Takes a slot. Call `leave` exactly once for each slot taken. `onWait` gets a function that ends the waiting. */
  enter(ask: Ask, onWait?: (cancel: (() => void) | null) => void): Entered | Promise<Entered> {
    const holding = this.holdingOf(ask);
    if (holding.free > 0 && holding.queue.size === 0 && holding.inUse < ask.limit) {
      holding.free -= 1;
      holding.inUse += 1;
      return AT_ONCE;
    }
    if (ask.waitMs === 0) return this.wait(ask, holding, 0);
    const position = holding.queue.positionOf(ask.owner);
    if (holding.queue.lengthOf(ask.owner) >= ask.waitersMax) return { isIn: false, position };
    const waiting = this.wait(ask, holding, position, onWait);
    return onWait ? waiting.finally(() => onWait(null)) : waiting;
  }

  leave(subject: string): void {
    const holding = this.holdings.get(subject);
    if (!holding) return;
    holding.inUse -= 1;
    if (holding.toYield > 0) {
      holding.toYield -= 1;
      void this.giveBack(subject, 1);
      return;
    }
    holding.free += 1;
    serve(holding);
    this.leaveLater(subject, holding);
  }

  /** Returns all slots; call it when no request is in flight. */
  async stop(): Promise<void> {
    const free = [...this.holdings].filter(([, holding]) => holding.free > 0);
    this.holdings.clear();
    const { giveBack, onError } = this.settings;
    await Promise.all(free.map(([subject, holding]) => giveBack(subject, holding.free).catch(onError)));
  }

  private holdingOf({ subject, limit }: Ask): Holding {
    const present = this.holdings.get(subject);
    if (present) {
      present.limit = limit;
      return present;
    }
    const queue = new FairQueue<Waiter>();
    const holding = { limit, free: 0, inUse: 0, queue, toYield: 0, isBusy: false, returning: false };
    this.holdings.set(subject, holding);
    return holding;
  }

  private wait(
    ask: Ask,
    holding: Holding,
    position: number,
    onWait?: (cancel: (() => void) | null) => void,
  ): Promise<Entered> {
    return new Promise((resolve, reject) => {
      const since = performance.now();
      const waiter: Waiter = { ...ask, position, since, until: since + ask.waitMs, resolve, reject };
      holding.queue.push(waiter);
      onWait?.(() => {
        if (holding.queue.remove((one) => one === waiter).length > 0) resolve({ isIn: false, position });
      });
      if (!holding.isBusy) void this.work(ask.subject, holding);
    });
  }

  private async work(subject: string, holding: Holding): Promise<void> {
    holding.isBusy = true;
    let isTold = false;
    let isAboveShare = false;
    try {
      for (let round = 0; holding.queue.size > 0; round++) {
        if (!isAboveShare && holding.free === 0) await this.obtain(subject, holding, round === 0 ? TRIES : 1);
        if (serve(holding) > 0) continue;
        refuseLate(holding);
        const until = holding.queue.least((waiter) => waiter.until);
        if (until === null) break;
        const jitter = 0.5 + Math.random() / 2;
        await delay(Math.max(1, Math.min(this.pollMs * jitter, until - performance.now())));
        const others = await this.settings.tellWaiting(subject, holding.queue.owners);
        isTold = true;
        isAboveShare = share(holding, others);
      }
    } catch (error) {
      for (const waiter of holding.queue.remove(() => true)) waiter.reject(error);
    } finally {
      holding.isBusy = false;
      holding.toYield = 0;
      if (isTold) this.settings.tellWaiting(subject, 0).catch(this.settings.onError);
      this.leaveLater(subject, holding);
    }
  }

  private async obtain(subject: string, holding: Holding, tries: number): Promise<void> {
    for (let attempt = 1; holding.free === 0; attempt++) {
      const wanted = Math.min(holding.queue.size, holding.limit - holding.inUse);
      for (let ask = wanted; ask >= 1 && holding.free === 0; ask = Math.floor(ask / 2)) {
        if (await this.settings.take(subject, holding.limit, ask)) holding.free += ask;
      }
      if (holding.free > 0 || attempt > tries) return;
      if (performance.now() - (this.repairedAt.get(subject) ?? Number.NEGATIVE_INFINITY) > repairEveryMs) {
        if (this.repairedAt.size > 10_000) this.repairedAt.clear();
        this.repairedAt.set(subject, performance.now());
        await this.settings.repair(subject);
      } else if (attempt >= tries) return;
      else await delay(this.lingerMs * 1.5);
    }
  }

  private leaveLater(subject: string, holding: Holding): void {
    if (holding.returning) return;
    holding.returning = true;
    const timer = setTimeout(() => {
      holding.returning = false;
      if (holding.isBusy) return;
      const amount = holding.free;
      holding.free = 0;
      if (holding.inUse === 0) this.holdings.delete(subject);
      if (amount > 0) void this.giveBack(subject, amount);
    }, this.lingerMs);
    timer.unref();
  }

  /** Retries on errors: a slot that is not returned is missing until this process ends. */
  private async giveBack(subject: string, amount: number): Promise<void> {
    for (let attempt = 1; attempt <= GIVE_BACK_TRIES; attempt++) {
      try {
        return await this.settings.giveBack(subject, amount);
      } catch (error) {
        this.settings.onError(error);
        await delay(attempt * 500, undefined, { ref: false });
      }
    }
  }
}

/** Hands the free slots out; returns how many. */
function serve(holding: Holding): number {
  let served = 0;
  for (; holding.free > 0 && holding.inUse < holding.limit; served++) {
    const waiter = holding.queue.shift();
    if (!waiter) return served;
    holding.free -= 1;
    holding.inUse += 1;
    const hasWaited = performance.now() - waiter.since > WAITED_MS;
    waiter.resolve({ isIn: true, position: hasWaited ? waiter.position : 0 });
  }
  return served;
}

function refuseLate(holding: Holding): void {
  const now = performance.now();
  for (const late of holding.queue.remove((waiter) => waiter.until <= now)) {
    late.resolve({ isIn: false, position: late.position });
  }
}

/** Decides how many slots to return to others; true = this process takes no more for now. */
function share(holding: Holding, ownersElsewhere: number): boolean {
  if (ownersElsewhere === 0) {
    holding.toYield = 0;
    return false;
  }
  const { owners } = holding.queue;
  const fair = (holding.limit * owners) / Math.max(1, owners + ownersElsewhere);
  const held = holding.inUse + holding.free;
  holding.toYield = Math.min(holding.inUse, ownersElsewhere, Math.max(0, Math.ceil(held - fair)));
  return held + 1 > Math.max(1, Math.ceil(fair));
}
