import { setTimeout as delay } from "node:timers/promises";
import type { Sql } from "@/db/client";
import { LOG_TYPE } from "@/lib/row-status";
import type { AppliedCharge, LeaseBook } from "./lease";
import { toQuota } from "./quota";
import { flushBatch } from "./settlement-batch";
import type { Settlement } from "./types";
import { within } from "./within";

export type { Settlement } from "./types";

export type SettlerSettings = {
  sql: Sql;
  nodeId: string;
  leaseBook: Pick<LeaseBook, "settleAt" | "applied">;
  /** Above this many, `hasRoom` says no. */
  maxQueued?: number;
  /** Most settlements of one flush. */
  maxBatch?: number;
  /** How long a flush may wait for company while requests keep arriving; 0 = never. */
  lingerMs?: number;
  flushTimeoutMs?: number;
  onError?: (error: unknown, settlements: number) => void;
};

export type Settler = {
  /**
   * Books what a request cost; resolves once it is committed. Never refused for lack of balance or room (ask `hasRoom`
   * before admitting). A replay of the same request id and moment changes nothing. Rejects only when the database will
   * never take this settlement, which is a fault.
   */
  settle(settlement: Settlement): Promise<void>;
  /** Settlements that are not committed yet. */
  queued(): number;
  /** False = the database has been away for long: answer 503 to what is new. */
  hasRoom(): boolean;
  /** Resolves when everything queued is committed. */
  drain(): Promise<void>;
};

type Pending = { settlement: Settlement; resolve: () => void; reject: (error: unknown) => void };

const FIRST_RETRY_MS = 20;
const LONGEST_RETRY_MS = 2_000;
/** A flush this full gains little by waiting. */
const FULL_ENOUGH = 48;

/** Group commit: one flush in flight, carrying everything that was queued meanwhile. */
export function createSettler(settings: SettlerSettings): Settler {
  return new GroupCommit(settings);
}

class GroupCommit implements Settler {
  private readonly settings: Required<SettlerSettings>;
  private queue: Pending[] = [];
  private inFlight = 0;
  private running = false;
  /** Smoothed time between settlements; decides whether waiting brings company. */
  private gapMs = 1_000;
  private lastAt = 0;
  private idle: (() => void)[] = [];
  /** Ends the wait for company. */
  private onFull: (() => void) | null = null;

  constructor(settings: SettlerSettings) {
    this.settings = {
      maxQueued: 10_000,
      maxBatch: 500,
      lingerMs: 4,
      flushTimeoutMs: 15_000,
      onError: () => {},
      ...settings,
    };
  }

  settle(settlement: Settlement): Promise<void> {
    assertSettlement(settlement);
    if (settlement.reservation) this.settings.leaseBook.settleAt(settlement.reservation, settlement.quota);
    const now = performance.now();
    this.gapMs += (Math.min(now - this.lastAt, 1_000) - this.gapMs) / 8;
    this.lastAt = now;
    return new Promise((resolve, reject) => {
      this.queue.push({ settlement, resolve, reject });
      if (!this.running) void this.run();
      else if (this.queue.length >= FULL_ENOUGH) this.onFull?.();
    });
  }

  queued(): number {
    return this.queue.length + this.inFlight;
  }

  hasRoom(): boolean {
    return this.queue.length + this.inFlight < this.settings.maxQueued;
  }

  drain(): Promise<void> {
    if (!this.running) return Promise.resolve();
    return new Promise((resolve) => this.idle.push(resolve));
  }

  private async run(): Promise<void> {
    this.running = true;
    while (this.queue.length > 0) {
      if (this.queue.length < FULL_ENOUGH && this.gapMs < this.settings.lingerMs) await this.linger();
      const batch = this.queue.splice(0, this.settings.maxBatch);
      this.inFlight = batch.length;
      await this.commit(batch);
      this.inFlight = 0;
    }
    this.running = false;
    for (const resolve of this.idle.splice(0)) resolve();
  }

  /** Waits for company: until the flush is full enough, `lingerMs` at most. */
  private async linger(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.settings.lingerMs);
      this.onFull = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.onFull = null;
  }

  /** Commits the batch however long it takes; parts it when one settlement in it is not acceptable. */
  private async commit(batch: Pending[]): Promise<void> {
    for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_RETRY_MS)) {
      try {
        return await this.flush(batch);
      } catch (error) {
        this.settings.onError(error, batch.length);
        if (isUnacceptable(error)) return this.part(batch, error);
        await delay(waitMs);
      }
    }
  }

  private async flush(batch: Pending[]): Promise<void> {
    const { sql, nodeId, flushTimeoutMs, leaseBook } = this.settings;
    const settlements = batch.map((pending) => pending.settlement);
    const result = await within(flushTimeoutMs, flushBatch(sql, nodeId, settlements));
    const charges = result.inserted === batch.length ? result.charges : withReplays(result.charges, settlements);
    leaseBook.applied(
      charges,
      settlements.map((settlement) => settlement.reservation),
    );
    for (const pending of batch) pending.resolve();
  }

  private async part(batch: Pending[], error: unknown): Promise<void> {
    if (batch.length > 1) {
      const middle = batch.length >> 1;
      await this.commit(batch.slice(0, middle));
      return this.commit(batch.slice(middle));
    }
    const [pending] = batch;
    if (!pending) return;
    this.settings.leaseBook.applied([], [pending.settlement.reservation]);
    pending.reject(error);
  }
}

function assertSettlement({ requestId, createdAt, quota, type }: Settlement): void {
  if (requestId === "" || !Number.isSafeInteger(createdAt))
    throw new RangeError("a settlement needs an id and a moment");
  if (toQuota(quota) < 0 || (type === LOG_TYPE.error && quota !== 0)) throw new RangeError(`not a charge: ${quota}`);
}

/** Data that PostgreSQL refuses (class 22, 23) stays refused; everything else may pass on another try. */
function isUnacceptable(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^2[23]/.test(String(error.code));
}

/**
 * A settlement that was there already was committed by a try whose answer was lost, so what it took from the lease is
 * not known: its cost at most. Counting all of it keeps the memory below the lease's row, which is the safe side.
 */
function withReplays(charges: readonly AppliedCharge[], settlements: readonly Settlement[]): AppliedCharge[] {
  const costs = new Map<string, AppliedCharge>();
  const add = (userId: number, tokenId: number, cost: number) => {
    const key = `${userId}:${tokenId}`;
    const sum = costs.get(key) ?? { userId, tokenId, dropped: 0, left: 0 };
    costs.set(key, { ...sum, dropped: sum.dropped + cost });
  };
  for (const { userId, tokenId, quota } of settlements) {
    add(userId, 0, quota);
    if (tokenId > 0) add(userId, tokenId, quota);
  }
  for (const { userId, tokenId, left } of charges) {
    const sum = costs.get(`${userId}:${tokenId}`);
    if (sum) sum.left = left;
  }
  return [...costs.values()];
}
