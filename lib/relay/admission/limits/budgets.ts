import { LRUCache } from "lru-cache";
import { BUDGET_PERIODS, type BudgetPeriod, type PeriodTimes } from "@/lib/limit/budget-periods";
import type { BudgetAsk, BudgetGrant, BudgetOwner } from "./budget-commands";

export type BudgetSettings = {
  take: (owner: BudgetOwner, ask: BudgetAsk) => Promise<BudgetGrant>;
  giveBack: (owner: BudgetOwner, amount: number) => Promise<void>;
  periods: () => PeriodTimes;
  onError: (error: unknown) => void;
  /** How long what is not used waits for the owner's next request. Default 1 s. */
  lingerMs?: number;
};

/** `period`: the one that is used up; null = other processes hold what is left. */
export type BudgetRefusal = {
  refused: true;
  period: BudgetPeriod | null;
  resetsAt: number;
  /** Of the period; 0 = none is used up. */
  limit: number;
  used: number;
};

export type BudgetWant = { amount: number; least: number };

type Waiter = BudgetWant & {
  resolve: (answer: number | BudgetRefusal) => void;
  reject: (error: unknown) => void;
};

/** What this process holds of one owner's budgets. */
type Pot = {
  owner: BudgetOwner;
  free: number;
  /** Spent and committed, so that it counts as used; still held in the database. */
  spent: number;
  waiters: Waiter[];
  isBusy: boolean;
  isReturning: boolean;
  refusal: BudgetRefusal | null;
  refusedLeast: number;
  refusedUntil: number;
  /** What was left when it was last asked for. */
  room: number;
};

const lingerDefaultMs = 1_000;
const refusalMs = 1_000;
/** A process takes at most this fraction (1/16) of what is left in advance. */
const SHARE = 16;
const ownersMax = 50_000;

/**
 * Keeps what users and tokens spend within their budgets, over all processes: each holds parts of them, and requests
 * take from these in memory. What a request costs beyond its part is charged all the same, and nothing more is admitted
 * then. Parts of a process that died end with its node.
 */
export class BudgetBook {
  private readonly settings: BudgetSettings;
  private readonly pots = new LRUCache<string, Pot>({ max: ownersMax });

  constructor(settings: BudgetSettings) {
    this.settings = settings;
  }

  /** Takes `amount`, or less but at least `least`. Returns synchronously when this process holds enough. */
  take(owner: BudgetOwner, { amount, least }: BudgetWant): number | BudgetRefusal | Promise<number | BudgetRefusal> {
    const pot = this.potOf(owner);
    if (pot.free >= amount && pot.waiters.length === 0) {
      pot.free -= amount;
      return amount;
    }
    if (pot.refusal && performance.now() < pot.refusedUntil && least >= pot.refusedLeast) return pot.refusal;
    return new Promise((resolve, reject) => {
      pot.waiters.push({ amount, least, resolve, reject });
      if (!pot.isBusy) void this.work(pot);
    });
  }

  /** What was taken cost so much; call it when the charge is committed. */
  settle(owner: BudgetOwner, taken: number, cost: number): void {
    const pot = this.potOf(owner);
    const held = Math.min(cost, taken + pot.free);
    pot.free += taken - held;
    pot.spent += held;
    if (cost < taken) pot.refusal = null;
    this.returnLater(pot);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.pots.values()].map((pot) => this.giveBack(pot)));
  }

  private potOf(owner: BudgetOwner): Pot {
    const key = `${owner.owner}:${owner.id}`;
    const present = this.pots.get(key);
    if (!present) {
      const pot = emptyPot(owner);
      this.pots.set(key, pot);
      return pot;
    }
    if (owner.limits.some((limit, i) => limit !== present.owner.limits[i])) {
      // What was taken under other limits goes back.
      Object.assign(present, { owner, spent: present.spent + present.free, free: 0, refusal: null });
    }
    return present;
  }

  private async work(pot: Pot): Promise<void> {
    pot.isBusy = true;
    try {
      for (let first = pot.waiters[0]; first; first = pot.waiters[0]) {
        const refusal = pot.free >= first.amount ? null : await this.fetch(pot, first);
        pot.waiters.shift();
        if (refusal) first.resolve(refusal);
        else {
          const amount = Math.min(pot.free, first.amount);
          pot.free -= amount;
          first.resolve(amount);
        }
      }
    } catch (error) {
      for (const waiter of pot.waiters.splice(0)) waiter.reject(error);
    } finally {
      pot.isBusy = false;
      this.returnLater(pot);
    }
  }

  private async fetch(pot: Pot, first: BudgetWant): Promise<BudgetRefusal | null> {
    const periods = this.settings.periods();
    const { spent: dropped, free } = pot;
    const needed = first.amount - free;
    const all = pot.waiters.reduce((sum, { amount }) => sum + amount, -free);
    const ask = {
      starts: BUDGET_PERIODS.map((period) => periods[period].start),
      wanted: Math.max(all, needed) + Math.max(0, Math.floor(pot.room / SHARE)),
      needed,
      least: Math.max(1, first.least - free),
      dropped,
    };
    pot.spent -= dropped;
    const { granted, lefts } = await this.settings.take(pot.owner, ask).catch((error: unknown) => {
      pot.spent += dropped;
      throw error;
    });
    pot.free += granted;
    const limited = lefts.filter((left) => left !== null);
    pot.room = Math.min(...limited) - granted;
    const shortest = BUDGET_PERIODS.filter((_, i) => (lefts[i] ?? Number.POSITIVE_INFINITY) < first.least);
    // What this process holds already may do, unless other charges have used up the period meanwhile.
    if (pot.free >= first.least && (granted > 0 || shortest.length === 0)) return null;
    const period = shortest.at(-1) ?? null;
    const resetsAt = period === null ? 0 : periods[period].end;
    const at = period === null ? -1 : BUDGET_PERIODS.indexOf(period);
    const limit = pot.owner.limits[at] ?? 0;
    pot.refusal = { refused: true, period, resetsAt, limit, used: Math.max(0, limit - (lefts[at] ?? limit)) };
    pot.refusedLeast = first.least;
    pot.refusedUntil = performance.now() + (period === null ? 0 : refusalMs);
    return pot.refusal;
  }

  private returnLater(pot: Pot): void {
    if (pot.isReturning || pot.free + pot.spent === 0) return;
    pot.isReturning = true;
    const timer = setTimeout(() => {
      pot.isReturning = false;
      if (!pot.isBusy) void this.giveBack(pot);
    }, this.settings.lingerMs ?? lingerDefaultMs);
    timer.unref();
  }

  private async giveBack(pot: Pot): Promise<void> {
    const { free, spent } = pot;
    if (free + spent === 0) return;
    Object.assign(pot, { free: 0, spent: 0 });
    try {
      await this.settings.giveBack(pot.owner, free + spent);
    } catch (error) {
      // It counts as spent from here on: to be returned, and not to be taken.
      pot.spent += free + spent;
      this.settings.onError(error);
      this.returnLater(pot);
    }
  }
}

function emptyPot(owner: BudgetOwner): Pot {
  return {
    owner,
    free: 0,
    spent: 0,
    waiters: [],
    isBusy: false,
    isReturning: false,
    refusal: null,
    refusedLeast: 0,
    refusedUntil: 0,
    room: 0,
  };
}
