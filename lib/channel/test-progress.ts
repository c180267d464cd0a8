import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import type { TlsReason } from "@/lib/egress/tls-reason";
import type { TestVerdict } from "./test-verdict";

/** The result of one channel in a run, and what the system did about it. */
export type TestOutcome = {
  id: number;
  name: string;
  model: string;
  success: boolean;
  message: string;
  timeMs: number;
  /** HTTP status of the upstream; absent when it was not reached. */
  status?: number;
  /** Why there was no secure connection. */
  tls?: TlsReason;
  verdict: TestVerdict["kind"];
};

/** The latest run started in this process; times in unix seconds. */
export type TestProgress = {
  total: number;
  outcomes: TestOutcome[];
  startedAt: number;
  finishedAt: number | null;
  isCancelled: boolean;
};

const holder = globalThis as typeof globalThis & { weirTestProgress?: TestProgress };

/** Starts recording a new run; it replaces the previous one. */
export function beginProgress(total: number): TestProgress {
  const progress = { total, outcomes: [], startedAt: nowSeconds(), finishedAt: null, isCancelled: false };
  holder.weirTestProgress = progress;
  return progress;
}

/** The progress of the latest run; null when none was started in this process (administrators). */
export function readTestProgress(ctx: ServiceContext): TestProgress | null {
  requireRole(ctx, ROLE.admin);
  return holder.weirTestProgress ?? null;
}

/** Stops the run after the current channel. */
export function cancelTestRun(ctx: ServiceContext): void {
  requireRole(ctx, ROLE.admin);
  if (holder.weirTestProgress) holder.weirTestProgress.isCancelled = true;
}
