import { env } from "@/lib/env";

/** How a process is to stop. */
export type DrainPlan = {
  /** How long requests are served as usual while /readyz says 503, so that load balancers notice. */
  pauseMs: number;
  /** From the beginning to the moment when what still runs is cut off; the pause is a part of it. */
  drainMs: number;
  /** Another process takes what comes: its port stays open, and kept connections get time to be used once more. */
  isReplaced: boolean;
};

/** Cut answers get this long to reach their callers. */
export const CUT_MS = 2_000;
/** After the drain a process books what it has, gives back its leases and disconnects; then it exits, whatever is left. */
const EXIT_MS = 20_000;
/** Who waits for a process to exit waits a little longer than it takes. */
const MARGIN_MS = 5_000;
/** The pause where something asks /readyz; twice what load balancers usually take between two checks. */
const PAUSE_MS = 5_000;

/** Every other limit of stopping derives from the time to drain. */
export function exitMsOf({ drainMs }: DrainPlan): number {
  return drainMs + EXIT_MS;
}

export function killMsOf(plan: DrainPlan): number {
  return exitMsOf(plan) + MARGIN_MS;
}

export function drainMsDefault(): number {
  return env().WEIR_DRAIN_SECONDS * 1_000;
}

/** `isProbed`: something asks /readyz, so somebody learns from a pause. `isTyped`: Ctrl-C in a terminal. */
export function planStop({ isProbed, isTyped }: { isProbed: boolean; isTyped: boolean }): DrainPlan {
  const drainMs = drainMsDefault();
  const { WEIR_DRAIN_PAUSE_SECONDS: seconds } = env();
  const pauseMs = seconds === undefined ? (isProbed ? PAUSE_MS : 0) : seconds * 1_000;
  return { drainMs, pauseMs: isTyped ? 0 : Math.min(pauseMs, drainMs), isReplaced: false };
}

export function planReplacement(): DrainPlan {
  return { drainMs: drainMsDefault(), pauseMs: 0, isReplaced: true };
}
