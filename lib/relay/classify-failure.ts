import type { WireError } from "./canonical/wire-error";
import { type FailureCause, isTimeout } from "./failure-cause";
import type { FailureQuirks } from "./upstreams/channel-type";

/** How an attempt failed before anything was sent to the client. */
export type AttemptFailure =
  | { kind: "status"; status: number; error: WireError; retryAfterMs: number | null }
  | { kind: "network"; message: string; cause: FailureCause }
  | { kind: "setup"; message: string };

export type FailureContext = {
  quirks: FailureQuirks;
  statusCodeMapping: ReadonlyMap<number, number>;
  /** Both the channel and the options allow disabling it automatically. */
  mayDisable: boolean;
  disableKeywords: readonly string[];
  /** The client asked for this specific channel, so no other one may be tried. */
  isPinned: boolean;
};

export type Verdict = {
  /** Try another channel, if attempts are left. */
  retry: boolean;
  coolDownMs: number;
  /** Reason to disable the channel; null = keep it enabled. */
  disableReason: string | null;
  /** The response to the client if this was the last attempt. */
  reply: { status: number; error: WireError };
};

const COOL_DOWN_MS = 5_000;
const COOL_DOWN_LIMITED_MS = 10_000;
const COOL_DOWN_MAX_MS = 120_000;
const DEAD_CODES = new Set(["invalid_api_key", "account_deactivated", "billing_not_active", "Arrearage"]);
const DEAD_TYPES = new Set([
  "insufficient_quota",
  "insufficient_user_quota",
  "authentication_error",
  "permission_error",
  "forbidden",
]);
/**
 * Errors with these statuses are about the request, not the account. Their text may quote the user's input, so keywords
 * in it do not count.
 */
const ABOUT_THE_REQUEST = new Set([400, 404, 413, 422]);

/** Decides what to do after a failed attempt (contract §4.5, §4.9). A pure function. */
export function classifyFailure(failure: AttemptFailure, context: FailureContext): Verdict {
  if (failure.kind === "setup") {
    const error = wireError(failure.message, "get_channel_failed");
    return { retry: !context.isPinned, coolDownMs: 0, disableReason: null, reply: { status: 500, error } };
  }
  if (failure.kind === "network") {
    const error = wireError(failure.message, "do_request_failed");
    const isSlow = isTimeout(failure.cause);
    const status = isSlow ? 504 : 502;
    const retry = !context.isPinned && !isSlow;
    return { retry, coolDownMs: COOL_DOWN_MS, disableReason: null, reply: { status, error } };
  }
  const status = context.statusCodeMapping.get(failure.status) ?? failure.status;
  return {
    retry: !context.isPinned && isRetryable(status, context.quirks),
    coolDownMs: coolDown(status, failure.retryAfterMs),
    disableReason: context.mayDisable ? disableReason(failure, status, context) : null,
    reply: reply(failure),
  };
}

function wireError(message: string, code: string): WireError {
  return { message, type: "upstream_error", param: null, code };
}

function isRetryable(status: number, quirks: FailureQuirks): boolean {
  if (status === 504 || status === 524 || status === 408) return false;
  if (status === 400) return quirks.retriesBadRequest === true;
  return status < 200 || status > 299;
}

function coolDown(status: number, retryAfterMs: number | null): number {
  if (status === 429) return Math.min(retryAfterMs ?? COOL_DOWN_LIMITED_MS, COOL_DOWN_MAX_MS);
  return status >= 500 ? COOL_DOWN_MS : 0;
}

function disableReason(
  { error }: AttemptFailure & { kind: "status" },
  status: number,
  context: FailureContext,
): string | null {
  const text = error.message.toLowerCase();
  const isDead =
    status === 401 ||
    (status === 403 && context.quirks.forbiddenMeansDead === true) ||
    DEAD_CODES.has(String(error.code)) ||
    DEAD_TYPES.has(error.type) ||
    (!ABOUT_THE_REQUEST.has(status) && context.disableKeywords.some((word) => text.includes(word.toLowerCase())));
  return isDead ? `status ${status}: ${error.message}` : null;
}

function reply(failure: AttemptFailure & { kind: "status" }): Verdict["reply"] {
  if (failure.status === 429) {
    const message = "the upstream load of the current group is saturated, please try again later";
    return { status: 429, error: { ...failure.error, message } };
  }
  // A client cannot use a redirect or an unexpected success.
  return { status: failure.status < 400 ? 502 : failure.status, error: failure.error };
}
