import type { BilledUsage } from "@/lib/billing/types";
import type { AttemptFailure } from "./classify-failure";

/** How an attempt at a channel ended; lib/health counts these. */
export type AttemptOutcome = "ok" | "cut" | "gone" | "refused" | "limited" | "timeout" | "request" | "failed";

/** One attempt as stored in its log row (`other.admin_info.attempts`). */
export type Attempt = {
  channel: number;
  /** Id of the channel's key, if it has several. */
  key?: number;
  /** Milliseconds since the request arrived. */
  start_ms: number;
  ms: number;
  outcome: AttemptOutcome;
  /** The upstream's status; undefined when there was no response. */
  status?: number;
  message?: string;
  /** What the upstream should bill for it, in quota; null = unknown. Filled in when the request is settled. */
  cost?: number | null;
  /** What the upstream delivered out of the caller's sight. Not stored: it becomes the cost. */
  used?: BilledUsage;
};

const MESSAGE_MAX = 300;

export function describeAttempt(failure: AttemptFailure): Pick<Attempt, "outcome" | "status" | "message"> {
  if (failure.kind === "status") {
    const { status, error } = failure;
    return { outcome: classOf(status), status, message: error.message.slice(0, MESSAGE_MAX) };
  }
  const isTimeout = failure.kind === "network" && failure.isTimeout;
  return { outcome: isTimeout ? "timeout" : "failed", message: failure.message.slice(0, MESSAGE_MAX) };
}

function classOf(status: number): AttemptOutcome {
  if (status === 401 || status === 403) return "refused";
  if (status === 429) return "limited";
  if (status === 408 || status === 504 || status === 524) return "timeout";
  return status >= 400 && status < 500 ? "request" : "failed";
}
