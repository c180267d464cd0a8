import type { AlertComparison, Measured } from "./types";

type Condition = { comparison: AlertComparison; threshold: number; minRequests: number };

/** Whether the condition is met; null = there is not enough to tell, so that a rule stays as it is. */
export function isMet({ comparison, threshold, minRequests }: Condition, measured: Measured): boolean | null {
  if (measured.value === null || measured.requests < minRequests) return null;
  return comparison === "above" ? measured.value > threshold : measured.value < threshold;
}

/** `notified` is of the firing that is open. */
export type AlertState = {
  firing: { notified: boolean } | null;
  notifiedAt: number;
  mutedUntil: number;
  coolDownSeconds: number;
  tellsResolved: boolean;
};

/** What to do, with or without a message. "tell" = a firing that was held back is told now. */
export type AlertStep = { kind: "none" } | { kind: "fire" | "resolve"; tells: boolean } | { kind: "tell" };

const NOTHING: AlertStep = { kind: "none" };

/** The next step of a rule. A firing that is muted, or within the cool-down, is told when that has ended, if it lasts. */
export function nextStep(state: AlertState, met: boolean | null, now: number): AlertStep {
  const { firing, mutedUntil, notifiedAt, coolDownSeconds } = state;
  const isMuted = now < mutedUntil;
  const mayTell = !isMuted && now - notifiedAt >= coolDownSeconds;
  if (met === null) return NOTHING;
  if (met && firing === null) return { kind: "fire", tells: mayTell };
  if (met) return !firing?.notified && mayTell ? { kind: "tell" } : NOTHING;
  if (firing === null) return NOTHING;
  return { kind: "resolve", tells: state.tellsResolved && firing.notified && !isMuted };
}
