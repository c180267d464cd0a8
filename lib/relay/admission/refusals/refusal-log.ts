import type { Settler } from "@/lib/billing/settle";
import { logger } from "@/lib/logger";
import type { SnapshotStore } from "@/lib/snapshot/store";
import type { Exchange } from "../../http/exchange";
import { codeOf, type WireError } from "../../wire/canonical/wire-error";
import { UNKNOWN_KEY } from "../authenticate";
import { type Refusal, refusalOf, refusalRow } from "./refusal";
import type { UnknownKeys } from "./unknown-keys";

export type RefusalLimits = {
  /** Rows at once, and per minute after that, of one user. */
  userBurst: number;
  userPerMinute: number;
  /** The same for all users of this process. */
  burst: number;
  perMinute: number;
  /** How often what was only counted gets its rows. */
  flushMs: number;
  /** Rows that one such flush writes at most. */
  flushRows: number;
};

export const USUAL_REFUSAL_LIMITS: RefusalLimits = {
  userBurst: 20,
  userPerMinute: 20,
  burst: 200,
  perMinute: 600,
  flushMs: 10_000,
  flushRows: 100,
};

/** Kinds of refusals that are counted apart: in all, and of one user. */
const COUNTS_MAX = 5_000;
const USER_COUNTS_MAX = 32;
const USERS_MAX = 10_000;
/** From this many settlements on that wait for the database, refusals are only counted. */
const QUEUED_MAX = 1_000;
/** Rows that are written when the process stops. */
const LAST_ROWS = 1_000;
const OTHERS = "";

/** Refusals of one kind since their last row; `last` stands for them all. */
type Count = { last: Refusal; number: number };
type Bucket = { left: number; at: number };
type Source = Bucket & { counts: Map<string, Count> };

type Needs = {
  settler: Pick<Settler, "settle" | "queued" | "hasRoom">;
  snapshot: Pick<SnapshotStore, "current">;
  limits?: Partial<RefusalLimits> | undefined;
  unknownKeys?: Pick<UnknownKeys, "note" | "flush"> | undefined;
};

/**
 * Refusals on their way to the usage log. Each has a row of its own up to a rate; beyond it they are counted by user, key
 * and code, and the next row of that kind says how many more there were. Nothing is waited for, and memory is bounded.
 */
export class RefusalLog {
  private readonly needs: Needs;
  private readonly limits: RefusalLimits;
  private readonly sources = new Map<number, Source>();
  private readonly process: Bucket;
  private counts = 0;
  private timer: NodeJS.Timeout | undefined;
  /** Without a known user, and those that could not even be counted by user, since the last report. */
  private unknown = 0;
  private uncounted = 0;

  constructor(needs: Needs) {
    this.needs = needs;
    this.limits = { ...USUAL_REFUSAL_LIMITS, ...needs.limits };
    this.process = { left: this.limits.burst, at: performance.now() };
  }

  /** To be called for every request that ends with an error of ours. */
  note(exchange: Exchange, error: { status: number; wire: WireError }): void {
    const caller = exchange.refusalCaller;
    exchange.refusalCaller = null;
    if (!this.needs.snapshot.current().options.LogConsumeEnabled) return;
    if (!caller) {
      this.unknown += 1;
      if (codeOf(error.wire) === UNKNOWN_KEY) this.needs.unknownKeys?.note(exchange.clientIp);
      this.arm();
      return;
    }
    const source = this.sourceOf(caller.user.id);
    if (!source) {
      this.uncounted += 1;
      return;
    }
    const kind = `${caller.token.id}:${codeOf(error.wire)}`;
    const before = source.counts.get(kind);
    if (this.takeRow(source)) {
      if (before) this.forget(source, kind);
      this.write(refusalOf(exchange, caller, error), before?.number ?? 0);
    } else this.count(source, kind, refusalOf(exchange, caller, error));
  }

  /** Writes what was counted, as far as there is room for it. */
  flush(rowsMax = this.limits.flushRows): void {
    let left = rowsMax;
    for (const [id, source] of [...this.sources]) {
      if (source.counts.size === 0) {
        this.refill(source, this.limits.userBurst, this.limits.userPerMinute);
        if (source.left >= this.limits.userBurst) this.sources.delete(id);
        continue;
      }
      for (const [kind, { last, number }] of source.counts) {
        if (left === 0 || this.isBusy()) break;
        this.forget(source, kind);
        this.write(last, number - 1);
        left -= 1;
      }
      // Those that were served go to the end, so that the others' turn comes.
      if (source.counts.size === 0) {
        this.sources.delete(id);
        this.sources.set(id, source);
      }
    }
    this.report();
  }

  /** Writes all that is counted, before the process ends. Resolves when the counts of unknown keys are written. */
  stop(): Promise<void> {
    clearTimeout(this.timer);
    this.flush(LAST_ROWS);
    if (this.counts > 0) logger.warn({ kinds: this.counts }, "refused requests are not in the log");
    return this.needs.unknownKeys?.flush() ?? Promise.resolve();
  }

  private sourceOf(userId: number): Source | null {
    const known = this.sources.get(userId);
    if (known) return known;
    if (this.sources.size >= USERS_MAX) return null;
    const source: Source = { left: this.limits.userBurst, at: performance.now(), counts: new Map() };
    this.sources.set(userId, source);
    this.arm();
    return source;
  }

  private count(source: Source, kind: string, refusal: Refusal): void {
    const known = source.counts.get(kind) ?? (this.isFull(source) ? source.counts.get(OTHERS) : undefined);
    if (known) {
      known.last = refusal;
      known.number += 1;
    } else if (this.counts >= COUNTS_MAX) this.uncounted += 1;
    else {
      source.counts.set(this.isFull(source) ? OTHERS : kind, { last: refusal, number: 1 });
      this.counts += 1;
    }
    this.arm();
  }

  private isFull({ counts }: Source): boolean {
    return counts.size >= USER_COUNTS_MAX;
  }

  private forget({ counts }: Source, kind: string): void {
    counts.delete(kind);
    this.counts -= 1;
  }

  /** Whether this refusal may have a row of its own. */
  private takeRow(source: Source): boolean {
    const { userBurst, userPerMinute, burst, perMinute } = this.limits;
    this.refill(source, userBurst, userPerMinute);
    this.refill(this.process, burst, perMinute);
    if (source.left < 1 || this.process.left < 1 || this.isBusy()) return false;
    source.left -= 1;
    this.process.left -= 1;
    return true;
  }

  private refill(bucket: Bucket, burst: number, perMinute: number): void {
    const now = performance.now();
    bucket.left = Math.min(burst, bucket.left + ((now - bucket.at) * perMinute) / 60_000);
    bucket.at = now;
  }

  private isBusy(): boolean {
    return this.needs.settler.queued() >= QUEUED_MAX || !this.needs.settler.hasRoom();
  }

  private write(refusal: Refusal, repeats: number): void {
    const { settler, snapshot } = this.needs;
    settler.settle(refusalRow(refusal, repeats, snapshot.current())).catch((error: unknown) => {
      logger.error({ err: error, request: refusal.requestId }, "a refused request has no row in the log");
    });
  }

  private arm(): void {
    if (this.timer) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.flush();
      if (this.sources.size > 0) this.arm();
    }, this.limits.flushMs);
    this.timer.unref();
  }

  private report(): void {
    const { unknown, uncounted } = this;
    if (unknown + uncounted === 0) return;
    this.unknown = 0;
    this.uncounted = 0;
    logger.info({ unknown, uncounted }, "requests were refused that are not in the log");
  }
}
