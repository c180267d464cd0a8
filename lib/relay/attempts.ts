import type { AttemptFailure } from "./classify-failure";

/** How a try at a channel ended; what lib/health counts it as. */
export type AttemptOutcome = "ok" | "cut" | "gone" | "refused" | "limited" | "timeout" | "request" | "failed";

/** One try at a channel as the log keeps it (`other.admin_info.attempts`). */
export type Attempt = {
  channel: number;
  /** Which of the channel's keys, where it has several. */
  key?: number;
  /** Milliseconds after the request came in. */
  start_ms: number;
  ms: number;
  outcome: AttemptOutcome;
  /** What the upstream answered with; left out when it was not reached. */
  status?: number;
  message?: string;
};

const MESSAGE_MAX = 300;

/** The class of a failure, its status and what was said. */
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
