import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import type { TestVerdict } from "./test-verdict";

/** How the test of one channel of a run went, and what the system made of it. */
export type TestOutcome = {
  id: number;
  name: string;
  model: string;
  success: boolean;
  message: string;
  timeMs: number;
  /** HTTP status of the upstream; left out when it was not reached. */
  status?: number;
  verdict: TestVerdict["kind"];
};

/** The last run that somebody started in this process; times in unix seconds. */
export type TestProgress = {
  total: number;
  outcomes: TestOutcome[];
  startedAt: number;
  finishedAt: number | null;
  isCancelled: boolean;
};

const holder = globalThis as typeof globalThis & { weirTestProgress?: TestProgress };

/** Begins to keep what a run comes to, in place of what the former one came to. */
export function beginProgress(total: number): TestProgress {
  const progress = { total, outcomes: [], startedAt: nowSeconds(), finishedAt: null, isCancelled: false };
  holder.weirTestProgress = progress;
  return progress;
}

/** How far the run is; null when none was started since the console was (administrators). */
export function readTestProgress(ctx: ServiceContext): TestProgress | null {
  requireRole(ctx, ROLE.admin);
  return holder.weirTestProgress ?? null;
}

/** Lets a run end after the channel it is at. */
export function cancelTestRun(ctx: ServiceContext): void {
  requireRole(ctx, ROLE.admin);
  if (holder.weirTestProgress) holder.weirTestProgress.isCancelled = true;
}
