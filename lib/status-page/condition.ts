import type { Condition } from "./types";

/** With fewer requests nothing is said. */
const REQUESTS_MIN = 5;
const UP_MIN = 0.98;
const DEGRADED_MIN = 0.5;

export type Sums = { succeeded: number; failed: number };

/** The share of requests that were answered, from 0 to 1; null = too few to say. */
export function uptimeOf({ succeeded, failed }: Sums): number | null {
  return succeeded + failed < REQUESTS_MIN ? null : succeeded / (succeeded + failed);
}

export function conditionOf(sums: Sums): Condition {
  const uptime = uptimeOf(sums);
  if (uptime === null) return "unknown";
  if (uptime >= UP_MIN) return "up";
  return uptime >= DEGRADED_MIN ? "degraded" : "down";
}
