import type { CircuitCause } from "@/lib/row-status";

export type CircuitFailure = { cause: CircuitCause; retryAfterMs: number | null };

/** The options in force. `failures` in a row open a circuit; `restMaxMs` is the longest rest after faults. */
export type CircuitLimits = { failures: number; restMaxMs: number };

/**
 * The one attempt that finds out whether an open circuit may close. `asked`: its claim is on its way; `granted`: it is the
 * claiming request's; `running`: that attempt is being made; `free`: it said nothing, so the next attempt is the probe;
 * `elsewhere`: another process has it. Over at `until`.
 */
export type Probe = { state: "asked" | "granted" | "running" | "free" | "elsewhere"; id: string | null; until: number };

/** What is known of a channel and a model that failed lately. Times are those of the monotonic clock, in milliseconds. */
export type Circuit = {
  readonly channelId: number;
  readonly model: string;
  isOpen: boolean;
  cause: CircuitCause;
  /** How many times in a row it was opened or a probe failed. */
  level: number;
  /** Counts the openings, so that an attempt which began before one says nothing about it. */
  opening: number;
  /** The end of its rest. */
  until: number;
  closedAt: number;
  probe: Probe | null;
  /** Failures since the last success. */
  failuresInRow: number;
  windowStart: number;
  now: Tally;
  before: Tally;
};

/** Attempts that ended in one half of the window. */
type Tally = { failures: number; all: number };

/** A circuit that opens again this soon after it closed rests longer than the last time. */
export const CALM_MS = 60_000;
/** The failure share is that of the last 15 to 30 seconds. */
const HALF_WINDOW_MS = 15_000;
const SHARE_OF_LEAST = 10;

const REST_MS = 5_000;
const LIMIT_REST_MS = 10_000;
const REST_LEAST_MS = 1_000;
/** Limits say when they end, and refused keys do not recover by themselves: these may rest longer than faults. */
const REST_MOST_MS = 120_000;
/** So much of a rest is drawn by lot, so that circuits which opened together are not tried together. */
const JITTER = 0.2;

export function newCircuit(channelId: number, model: string, nowMs: number): Circuit {
  return {
    channelId,
    model,
    isOpen: false,
    cause: "overload",
    level: 0,
    opening: 0,
    until: 0,
    closedAt: Number.NEGATIVE_INFINITY,
    probe: null,
    failuresInRow: 0,
    windowStart: nowMs,
    now: { failures: 0, all: 0 },
    before: { failures: 0, all: 0 },
  };
}

/** How long a circuit rests that opens or fails its probe for the `level`-th time in a row. Pure. */
export function restOf({ cause, retryAfterMs }: CircuitFailure, level: number, restMaxMs: number, lot: number): number {
  if (cause === "limit" && retryAfterMs !== null) {
    return Math.min(Math.max(retryAfterMs, REST_LEAST_MS), REST_MOST_MS);
  }
  const first = cause === "limit" ? LIMIT_REST_MS : REST_MS;
  const most = cause === "limit" || cause === "key" ? REST_MOST_MS : restMaxMs;
  return Math.min(first * 2 ** (level - 1), most) * (1 - JITTER * lot);
}

/** Notes how an attempt at a closed circuit ended. */
export function count(circuit: Circuit, isFailure: boolean, nowMs: number): void {
  turnWindow(circuit, nowMs);
  circuit.failuresInRow = isFailure ? circuit.failuresInRow + 1 : 0;
  circuit.now.all += 1;
  if (isFailure) circuit.now.failures += 1;
}

function turnWindow(circuit: Circuit, nowMs: number): void {
  const age = nowMs - circuit.windowStart;
  if (age < HALF_WINDOW_MS) return;
  circuit.before = age < 2 * HALF_WINDOW_MS ? circuit.now : { failures: 0, all: 0 };
  circuit.now = { failures: 0, all: 0 };
  circuit.windowStart = nowMs;
}

export function forgetCounts(circuit: Circuit, nowMs: number): void {
  circuit.failuresInRow = 0;
  circuit.windowStart = nowMs;
  circuit.now = { failures: 0, all: 0 };
  circuit.before = { failures: 0, all: 0 };
}

/** Whether a failure just counted opens the circuit. A refused key and a limit need no second failure. */
export function opensAt({ now, before, failuresInRow }: Circuit, cause: CircuitCause, failures: number): boolean {
  if (cause === "key" || cause === "limit" || failuresInRow >= failures) return true;
  const all = now.all + before.all;
  return all >= SHARE_OF_LEAST && 2 * (now.failures + before.failures) > all;
}

/** A closed circuit without a failure within the window, and closed for long, need not be kept. */
export function isForgotten(circuit: Circuit, nowMs: number): boolean {
  if (circuit.isOpen || circuit.failuresInRow > 0 || nowMs - circuit.closedAt < CALM_MS) return false;
  turnWindow(circuit, nowMs);
  return circuit.now.failures + circuit.before.failures === 0;
}
