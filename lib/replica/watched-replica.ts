import type { Sql } from "@/db/client";
import { readPrimary, readReplica } from "./replica-queries";

type Sample = { at: number; position: number };

/**
 * How far the primary had written at which time. A position is a number of bytes since the cluster was made; times are those
 * of `performance.now()`. Measured this way a replica does not seem to lag while nothing is written.
 */
export class Positions {
  private samples: Sample[] = [];
  private readonly keepMs: number;

  constructor(keepMs: number) {
    this.keepMs = keepMs;
  }

  add(at: number, position: number): void {
    const last = this.samples.at(-1);
    // A fail-over without synchronous replication has lost the end: what was seen before is no measure any more.
    if (last && position < last.position) this.samples = [];
    this.samples.push({ at, position });
    const begin = at - this.keepMs;
    while ((this.samples[1]?.at ?? at) < begin) this.samples.shift();
  }

  newest(): Sample | null {
    return this.samples.at(-1) ?? null;
  }

  /** What was written by then; the oldest that is known where it is younger. Null = nothing is known. */
  by(at: number): number | null {
    const known = this.samples.findLast((sample) => sample.at <= at) ?? this.samples[0];
    return known?.position ?? null;
  }

  /** Since when something is written that this position does not include; 0 = it includes all. */
  lagMs(now: number, position: number): number {
    const missing = this.samples.find((sample) => sample.position > position);
    return missing ? Math.max(0, now - missing.at) : 0;
  }
}

/**
 * fresh: it is read. behind: it lacks more than it may. away: it does not answer. primary: it is no replica, but takes
 * writes. foreign: it is a replica of another cluster or database. unknown: the primary does not answer, so nothing can be said.
 */
export type ReplicaStatus = "fresh" | "behind" | "away" | "primary" | "foreign" | "unknown";

export type ReplicaState = {
  status: ReplicaStatus;
  /** Null = not known. */
  lagMs: number | null;
  lagBytes: number | null;
};

/** What whoever reads a replica must find there. */
export type Floor = {
  /** Replayed at least so far. */
  position: number;
  cluster: string;
  /** Aborted as soon as the replica may not be read any more. */
  freshness: AbortSignal;
};

type Settings = {
  /** Each answers a small statement within a second or two, or fails. */
  primary: Sql;
  replica: Sql;
  limitMs: number;
  onChange: (state: ReplicaState) => void;
  /** How often it is looked at. */
  everyMs?: number;
};

const EVERY_MS = 1_000;
const KEEP_MS = 3_600_000;

/** Looks again and again whether a replica may be read. */
export class WatchedReplica {
  private readonly positions = new Positions(KEEP_MS);
  private current: ReplicaState = { status: "unknown", lagMs: null, lagBytes: null };
  private fresh = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private isStopped = false;
  private cluster = "";
  private readonly settings: Settings;

  constructor(settings: Settings) {
    this.settings = settings;
    this.fresh.abort();
    this.lookSoon(0);
  }

  state(): ReplicaState {
    return this.current;
  }

  /** Null = it may not be read. */
  floor(): Floor | null {
    if (this.current.status !== "fresh") return null;
    const position = this.positions.by(performance.now() - this.settings.limitMs);
    return position === null ? null : { position, cluster: this.cluster, freshness: this.fresh.signal };
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.looking;
    this.fresh.abort();
  }

  private lookSoon(afterMs: number): void {
    if (this.isStopped) return;
    this.timer = setTimeout(() => {
      this.looking = this.look().then((state) => {
        this.enter(state);
        this.lookSoon(this.settings.everyMs ?? EVERY_MS);
      });
    }, afterMs);
    this.timer.unref();
  }

  private async look(): Promise<ReplicaState> {
    const [primary, replica] = await Promise.allSettled([
      readPrimary(this.settings.primary),
      readReplica(this.settings.replica),
    ]);
    const now = performance.now();
    if (primary.status === "rejected") return { status: "unknown", lagMs: null, lagBytes: null };
    this.positions.add(now, primary.value.position);
    this.cluster = primary.value.cluster;
    if (replica.status === "rejected") return { status: "away", lagMs: null, lagBytes: null };
    const { position, cluster } = replica.value;
    if (cluster !== primary.value.cluster) return { status: "foreign", lagMs: null, lagBytes: null };
    if (position === null) return { status: "primary", lagMs: null, lagBytes: null };
    const lagMs = this.positions.lagMs(now, position);
    const lagBytes = Math.max(0, primary.value.position - position);
    return { status: lagMs > this.settings.limitMs ? "behind" : "fresh", lagMs, lagBytes };
  }

  private enter(state: ReplicaState): void {
    const before = this.current.status;
    this.current = state;
    if (state.status === before) return;
    if (state.status === "fresh") this.fresh = new AbortController();
    else this.fresh.abort();
    this.settings.onChange(state);
  }
}
