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
  /** From this many queued settlements on, `hasRoom` returns false. */
  maxQueued?: number;
  /** Maximum settlements per flush. */
  maxBatch?: number;
  /** How long a flush may wait for more settlements while requests keep arriving; 0 = never wait. */
  lingerMs?: number;
  flushTimeoutMs?: number;
  onError?: (error: unknown, settlements: number) => void;
};

export type Settler = {
  /**
   * Books the cost of a request; resolves after the commit. Never refused for lack of balance or room (check `hasRoom`
   * before admitting a request). Repeating the same request id and createdAt changes nothing. Rejects only when the
   * database will never accept this settlement, which is a bug.
   */
  settle(settlement: Settlement): Promise<void>;
  /** Settlements not committed yet. */
  queued(): number;
  /** False = the database has been unavailable for long: answer new requests with 503. */
  hasRoom(): boolean;
  /** Resolves when all queued settlements are committed. */
  drain(): Promise<void>;
};

type Pending = { settlement: Settlement; resolve: () => void; reject: (error: unknown) => void };

const FIRST_RETRY_MS = 20;
const LONGEST_RETRY_MS = 2_000;
/** From this many settlements on, waiting for more gains little. */
const FULL_ENOUGH = 48;

/** Group commit: one flush at a time, with everything queued during the previous one. */
export function createSettler(settings: SettlerSettings): Settler {
  return new GroupCommit(settings);
}

class GroupCommit implements Settler {
  private readonly settings: Required<SettlerSettings>;
  private queue: Pending[] = [];
  private inFlight = 0;
  private running = false;
  /** Smoothed time between settlements; decides whether waiting for more is worthwhile. */
  private gapMs = 1_000;
  private lastAt = 0;
  private idle: (() => void)[] = [];
  /** Ends the wait in `linger` early. */
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

  /** Waits for more settlements, until there are FULL_ENOUGH or `lingerMs` has passed. */
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

  /**
   * Retries until the batch is committed. When the database rejects its data, the batch is halved until the faulty
   * settlement is alone.
   */
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

/** Errors of class 22 and 23 mean that PostgreSQL rejects the data, so a retry cannot help. All others may be temporary. */
function isUnacceptable(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^2[23]/.test(String(error.code));
}

/**
 * A settlement that already existed was committed by an attempt whose reply was lost, so it is unknown what it took
 * from the lease: at most its cost. Subtracting the full cost keeps the slice in memory below the lease's row, which is
 * safe.
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
