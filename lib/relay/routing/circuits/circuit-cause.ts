import type { CircuitCause } from "@/lib/row-status";
import type { FailureQuirks } from "../../base/classify-failure";
import { type AttemptFailure, DEAD_CODES, DEAD_TYPES, isForbiddenDead } from "../../base/classify-failure";
import { type FailureCause, isTimeout, TIMEOUT_STATUSES } from "../../base/failure-cause";
import { requestFault } from "../../base/request-faults";
import { isBrokenCall } from "../../wire/dialects/common/failed-end";

const NOT_THE_CHANNELS: ReadonlySet<FailureCause> = new Set(["setup", "differs", "too_large"]);

/**
 * What a failed attempt says about the channel and its model; null = nothing, because it was about the request or about
 * the channel's settings. A 403 counts only where it is about the account: upstreams also refuse contents with it, and
 * no caller may close a channel to the others. `status`: as the channel's status code mapping has it. Pure.
 */
export function circuitCause(failure: AttemptFailure, status: number, quirks: FailureQuirks): CircuitCause | null {
  if (failure.kind === "setup") return null;
  if (failure.kind === "network") {
    // The channel's own settings forbid the way to it, or it answered well but in other words, or at too great length.
    if (NOT_THE_CHANNELS.has(failure.cause)) return null;
    return isTimeout(failure.cause) ? "timeout" : "network";
  }
  if (requestFault(failure.status, failure.error) || isBrokenCall(failure.error.code)) return null;
  if (status === 401 || status === 402) return "key";
  const { code, type } = failure.error;
  const isDead = DEAD_CODES.has(String(code)) || DEAD_TYPES.has(type);
  if (status === 403) return isDead || isForbiddenDead(failure.error, quirks) ? "key" : null;
  if (status === 429) return isDead ? "key" : "limit";
  if (TIMEOUT_STATUSES.has(status)) return "timeout";
  return status >= 400 && status < 500 ? null : "overload";
}
