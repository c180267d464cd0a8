import type { Timers } from "./timers";

export type GatheringSettings = {
  timers: Timers;
  /** How long a flush may wait for more settlements, in milliseconds: while answers wait for it, and while they do not. */
  lingerMs: number;
  patientLingerMs: number;
};

/** From this many settlements on, waiting for more gains little: while answers wait for the flush, and while they do not. */
const FULL = 48;
const PATIENT_FULL = 400;

/** Decides how long a flush waits for more settlements. It waits only while they arrive often enough. */
export class Gathering {
  private readonly settings: GatheringSettings;
  /** Smoothed time between settlements. */
  private gapMs = 1_000;
  private lastAt = 0;
  private onQueued: ((queued: number, isUrgent: boolean) => void) | null = null;

  constructor(settings: GatheringSettings) {
    this.settings = settings;
  }

  arrived(now: number): void {
    this.gapMs += (Math.min(now - this.lastAt, 1_000) - this.gapMs) / 8;
    this.lastAt = now;
  }

  /** So many are queued now. `isUrgent`: the answer of one waits for the flush. */
  queued(count: number, isUrgent: boolean): void {
    this.onQueued?.(count, isUrgent);
  }

  /** Null = flush at once. `isPatient`: no answer waits for the flush. */
  wait(count: number, isPatient: boolean): Promise<void> | null {
    const { timers, lingerMs, patientLingerMs } = this.settings;
    const ms = isPatient ? patientLingerMs : lingerMs;
    const full = isPatient ? PATIENT_FULL : FULL;
    if (count >= full || this.gapMs >= ms) return null;
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        this.onQueued = null;
        resolve();
      };
      const cancel = timers.after(ms, end);
      this.onQueued = (now, isUrgent) => {
        if (now >= full || (isPatient && isUrgent)) end();
      };
    });
  }
}
