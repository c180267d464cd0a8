import { setTimeout as delay } from "node:timers/promises";
import type { Sql } from "@/db/client";
import { logger } from "@/lib/logger";
import type { SnapshotStore } from "@/lib/snapshot/store";
import type { Circuit } from "./circuit";
import type { CircuitSharing, Circuits } from "./circuits";
import { claimProbe, keepProbe, readCircuits, saveClosed, saveOpen } from "./commands";

export type SharedCircuits = CircuitSharing & {
  /** Keeps these circuits as the other processes have them. */
  follow(circuits: Circuits): void;
  stop(): Promise<void>;
};

export type SharingSettings = {
  sql: Sql;
  snapshot: Pick<SnapshotStore, "watch">;
  /** The clock of the circuits. */
  now?: () => number;
};

/** Between two statements, so that a channel that flaps with every request cannot keep the database busy. */
const PAUSE_MS = 50;
const RETRY_MS = 1_000;
/** A claim that takes longer is made without the others, because a request waits for it. */
const CLAIM_MS = 500;
/** Notifications that arrive within this time cause one reading. */
const GATHER_MS = 15;
/** In case a notification was lost. */
const POLL_MS = 30_000;

/** Shares circuits over the database. It is never waited for: without it every process has its own circuits. */
export function shareCircuits(settings: SharingSettings): SharedCircuits {
  return new Sharing(settings);
}

class Sharing implements SharedCircuits {
  private circuits: Circuits | null = null;
  /** Changed since they were stored. */
  private readonly changed = new Set<Circuit>();
  private saving: Promise<void> | null = null;
  private isAway = false;
  /** Channels to read again; null = all. */
  private wanted: Set<number> | null = new Set();
  private reading: NodeJS.Timeout | undefined;
  private poll: NodeJS.Timeout | undefined;
  private readonly stopping = new AbortController();
  /** Counts what was stored, so that a reading from before is not taken for newer. */
  private saves = 0;
  private readonly sql: Sql;
  private readonly snapshot: SharingSettings["snapshot"];
  private readonly now: () => number;

  constructor({ sql, snapshot, now = () => performance.now() }: SharingSettings) {
    this.sql = sql;
    this.snapshot = snapshot;
    this.now = now;
  }

  follow(circuits: Circuits): void {
    this.circuits = circuits;
    this.snapshot.watch("circuits", { onChange: (id) => this.readSoon(id), onConnect: () => this.readSoon(null) });
    this.poll = setInterval(() => this.readSoon(null), POLL_MS);
    this.poll.unref();
    this.readSoon(null);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    clearInterval(this.poll);
    clearTimeout(this.reading);
    await this.saving;
    if (!this.isAway) await this.saveEach();
  }

  isSaved(circuit: Circuit): boolean {
    return !this.changed.has(circuit);
  }

  save(circuit: Circuit): void {
    this.changed.add(circuit);
    this.saving ??= this.saveAll().finally(() => {
      this.saving = null;
    });
  }

  private async saveAll(): Promise<void> {
    for (const { signal } = this.stopping; this.changed.size > 0 && !signal.aborted; ) {
      const waitMs = (await this.saveEach()) ? PAUSE_MS : RETRY_MS;
      await delay(waitMs, undefined, { ref: false, signal }).catch(() => {});
    }
  }

  /** Stores what has changed, newest state only. False = the database is away. */
  private async saveEach(): Promise<boolean> {
    for (const circuit of [...this.changed]) {
      const { opening, isOpen, level } = circuit;
      try {
        if (!(await this.saveOne(circuit))) this.readSoon(circuit.channelId);
        this.saves += 1;
        this.noteAway(null);
      } catch (error) {
        this.noteAway(error);
        return false;
      }
      // If not, it has changed meanwhile, and the new state is stored in the next round.
      if (circuit.opening === opening && circuit.isOpen === isOpen && circuit.level === level)
        this.changed.delete(circuit);
    }
    return true;
  }

  private async saveOne(circuit: Circuit): Promise<boolean> {
    if (circuit.isOpen)
      return await saveOpen(this.sql, { ...circuit, restMs: Math.max(0, circuit.until - this.now()) });
    await saveClosed(this.sql, circuit);
    return true;
  }

  async claim(circuit: Circuit, probeId: string, forMs: number): Promise<"granted" | "refused" | "alone"> {
    const giveUp = new AbortController();
    try {
      const claiming = claimProbe(this.sql, circuit, probeId, forMs);
      const late = delay(CLAIM_MS, null, { ref: false, signal: giveUp.signal });
      late.catch(() => {});
      const isGranted = await Promise.race([claiming, late]);
      if (isGranted === null) claiming.catch((error: unknown) => this.noteAway(error));
      if (isGranted === false) this.readSoon(circuit.channelId);
      if (isGranted === null) return "alone";
      return isGranted ? "granted" : "refused";
    } catch (error) {
      this.noteAway(error);
      return "alone";
    } finally {
      giveUp.abort();
    }
  }

  keep(circuit: Circuit, probeId: string, forMs: number): void {
    keepProbe(this.sql, probeId, circuit, forMs).catch((error: unknown) => this.noteAway(error));
  }

  private readSoon(channelId: number | null): void {
    if (this.stopping.signal.aborted) return;
    if (channelId === null) this.wanted = null;
    else this.wanted?.add(channelId);
    this.reading ??= setTimeout(() => void this.read(), GATHER_MS);
  }

  private async read(): Promise<void> {
    const ids = this.wanted && [...this.wanted];
    const { saves } = this;
    this.wanted = new Set();
    this.reading = undefined;
    try {
      const rows = await readCircuits(this.sql, ids);
      if (saves === this.saves) this.circuits?.learn(rows, ids);
      else for (const id of ids ?? [null]) this.readSoon(id);
      this.noteAway(null);
    } catch (error) {
      this.noteAway(error);
    }
  }

  /** Logs the first of a series of errors. */
  private noteAway(error: unknown): void {
    if (this.stopping.signal.aborted) return;
    if (error !== null && !this.isAway) logger.warn({ err: error }, "circuits are not shared at the moment");
    this.isAway = error !== null;
  }
}
