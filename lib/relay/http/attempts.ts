import type { Settlement } from "@/lib/billing/settle";
import type { BilledUsage } from "@/lib/billing/types";
import type { Report } from "../answers/answer";
import { type AttemptFailure, EMPTY_CODE, UNREADABLE_CODE } from "../base/classify-failure";
import { type FailureCause, isTimeout, TIMEOUT_STATUSES } from "../base/failure-cause";
import { requestFault } from "../base/request-faults";

/** How an attempt at a channel ended; lib/health counts these. hedged: another one, asked beside it, was first. */
export type AttemptOutcome =
  | "ok"
  | "cut"
  | "gone"
  | "refused"
  | "limited"
  | "timeout"
  | "request"
  | "failed"
  | "hedged";

/** One attempt as stored in its log row (`other.admin_info.attempts`). */
export type Attempt = {
  channel: number;
  /** The model that was asked; undefined = the row's. */
  model?: string;
  /** Id of the channel's key, if it has several. */
  key?: number;
  /** Milliseconds since the request arrived. */
  start_ms: number;
  ms: number;
  outcome: AttemptOutcome;
  /** The upstream's status; undefined when there was no response. */
  status?: number;
  /** Why it failed; undefined = it did not. */
  cause?: FailureCause;
  message?: string;
  /** How it was asked to go on with an answer that broke off before; undefined = it was not. */
  continues?: "repeat" | "prefill";
  /** What the upstream should bill for it, in quota; null = unknown. Filled in when the request is settled, unless known before. */
  cost?: number | null;
  /** What the upstream delivered out of the caller's sight. Not stored: it becomes the cost. */
  used?: BilledUsage;
  /** The caller is charged for what it delivered, although another one went on. Not stored. */
  isCharged?: boolean;
};

const MESSAGE_MAX = 300;

export type AttemptNote = Pick<Attempt, "outcome" | "status" | "cause" | "message">;

export function describeAttempt(failure: AttemptFailure): AttemptNote {
  const cause = failureCause(failure);
  if (failure.kind === "status") {
    const { status, error } = failure;
    const outcome = cause === "request" ? "request" : classOf(status);
    return { outcome, status, cause, message: error.message.slice(0, MESSAGE_MAX) };
  }
  // An answer in other words, or a larger one than can be taken, is no failure of the upstream.
  const outcome = isTimeout(cause) ? "timeout" : cause === "differs" || cause === "too_large" ? "request" : "failed";
  return { outcome, cause, message: wordsOf(failure).slice(0, MESSAGE_MAX) };
}

/** An answer that broke off; `reported`: the error that its upstream reported, null = none. */
export function describeCut({
  cause,
  reported,
}: {
  cause: FailureCause;
  reported: AttemptFailure | null;
}): AttemptNote {
  if (reported?.kind !== "status") return { outcome: "cut", cause };
  return { outcome: "cut", cause, status: reported.status, message: reported.error.message.slice(0, MESSAGE_MAX) };
}

export function failureCause(failure: AttemptFailure): FailureCause {
  if (failure.kind === "setup") return "setup";
  if (failure.kind === "network") return failure.cause;
  if (failure.error.code === UNREADABLE_CODE || failure.error.code === EMPTY_CODE) return "bad_answer";
  return requestFault(failure.status, failure.error) ? "request" : causeOfStatus(failure.status);
}

function causeOfStatus(status: number): FailureCause {
  const outcome = classOf(status);
  if (outcome === "refused") return "key";
  if (outcome === "limited") return "limit";
  if (outcome === "timeout") return "timeout_upstream";
  if (outcome === "request") return "request";
  return status >= 500 ? "overload" : "bad_answer";
}

function classOf(status: number): AttemptOutcome {
  if (status === 401 || status === 403) return "refused";
  if (status === 429) return "limited";
  if (TIMEOUT_STATUSES.has(status)) return "timeout";
  return status >= 400 && status < 500 ? "request" : "failed";
}

function wordsOf(failure: AttemptFailure): string {
  if (failure.kind === "status") return failure.error.message;
  return failure.kind === "network" && failure.detail ? `${failure.message}: ${failure.detail}` : failure.message;
}

/** What was booked of a request, and how it was answered. */
export type Settled = {
  settlement: Settlement;
  delivery: {
    outcome: string;
    attempts: Attempt[] | null;
    /** Absent or null = there was no answer to report of. */
    report?: Report | null;
  };
};
