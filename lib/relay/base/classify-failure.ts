import type { WireError } from "../wire/canonical/wire-error";
import { inOpenaiTerms, TOO_LONG } from "../wire/dialects/common/error-words";
import { isBrokenCall } from "../wire/dialects/common/failed-end";
import { type FailureCause, isTimeout, TIMEOUT_STATUSES } from "./failure-cause";
import { replyOf } from "./refusals/refusal-table";
import { type RequestFault, refusesOurAccess, requestFault } from "./request-faults";

/** How an upstream's failures differ. */
export type FailureQuirks = {
  /** A 400 may be caused by the account, so another channel is tried. */
  retriesBadRequest?: true;
  /** A 403 means that the key is invalid. */
  forbiddenMeansDead?: true;
};

/** Paid work that nobody else may be asked for: it may be under way all the same, or it was taken and has failed. */
export type LostWork = "unclear" | "failed";

/** How an attempt failed before anything was sent to the client. */
export type AttemptFailure =
  | { kind: "status"; status: number; error: WireError; retryAfterMs: number | null; work?: LostWork }
  /** `detail`: for the log alone. */
  | { kind: "network"; message: string; cause: FailureCause; detail?: string; work?: LostWork }
  /** `reply`: what the caller is told where its own account is the reason; absent = the channel is. */
  | { kind: "setup"; message: string; reply?: { status: number; error: WireError } };

export type FailureContext = {
  quirks: FailureQuirks;
  statusCodeMapping: ReadonlyMap<number, number>;
  /** Both the channel and the options allow disabling it automatically. */
  mayDisable: boolean;
  disableKeywords: readonly string[];
  /** The request was Weir's own and names nothing of a caller's, so a refusal of it is about the account. */
  isOwnRequest?: true;
};

export type Verdict = {
  /** Something else may be tried, if attempts are left. */
  retry: boolean;
  /** Whether the same channel may be asked again, when no other is left: once, or while it only limits us. */
  again: "never" | "once" | "limited";
  /** It said when to ask again, or failed in a way that is often over at once: it goes before channels of lower priority. */
  isTransient: boolean;
  /** When the upstream wants to be asked again; null = it did not say. */
  retryAfterMs: number | null;
  /** Null = the failure is not about the request. */
  fault: RequestFault | null;
  /** How long the key of the attempt rests, where the channel has several; null = the failure is not the key's. */
  keyRestMs: number | null;
  /** Reason to disable the channel; null = keep it enabled. */
  disableReason: string | null;
  /** The response to the client if this was the last attempt. */
  reply: { status: number; error: WireError };
};

/** A refused key. If it was disabled, all processes learn of it in this time. */
const REFUSED_REST_MS = 30_000;
/** A limited key, where the upstream does not say how long. */
const LIMITED_REST_MS = 10_000;
const LIMITED_REST_MAX_MS = 120_000;
export const DEAD_CODES = new Set([
  "invalid_api_key",
  "account_deactivated",
  "billing_not_active",
  "Arrearage",
  "API_KEY_INVALID",
]);
export const DEAD_TYPES = new Set([
  "insufficient_quota",
  "insufficient_user_quota",
  "authentication_error",
  "permission_error",
  "forbidden",
]);
/** Anthropic says with 400 that an account is of no use. A caller's text is never at the beginning of a message. */
const DEAD_TEXT = /^(your credit balance is too low|this organization has been disabled)/i;
/**
 * Other statuses below 500 are about the request, not the account. Their text may quote the user's input, so keywords in
 * it do not count.
 */
const ABOUT_THE_ACCOUNT = new Set([401, 402, 403, 429]);
/** Providers put what they quote of a request in quotation marks. */
const QUOTED = /"[^"]*"|'[^']*'|`[^`]*`|“[^”]*”/g;

/** Causes that asking the same channel again would not mend. */
const ONCE_ONLY: ReadonlySet<FailureCause> = new Set(["bad_answer", "setup", "differs"]);

/** The code of an answer with a failure's status that has no error of a known format. */
export const UNKNOWN_CODE = "bad_response_status_code";

/** The code of a success status with a body that cannot be read. */
export const UNREADABLE_CODE = "unmarshal_response_body_failed";

/** The code of JSON that holds neither an answer nor an error. */
export const EMPTY_CODE = "empty_response";

/** The upstream did answer, and may bill it; asked again, it would answer the same. */
const NO_ANSWERS: ReadonlySet<WireError["code"]> = new Set<WireError["code"]>([UNREADABLE_CODE, EMPTY_CODE]);

const NO_STATUS = {
  isTransient: false,
  retryAfterMs: null,
  fault: null,
  keyRestMs: null,
  disableReason: null,
} as const;

/** Decides what to do after a failed attempt (contract §4.5, §4.9; docs/failover.md). A pure function. */
export function classifyFailure(failure: AttemptFailure, context: FailureContext): Verdict {
  if (failure.kind === "status") return classifyStatus(failure, context);
  if (failure.kind === "setup") {
    const { reply = replyOf("get_channel_failed", failure.message) } = failure;
    return { ...NO_STATUS, retry: true, again: "never", reply };
  }
  const { cause, message } = failure;
  if (cause === "too_large") {
    return { ...NO_STATUS, retry: false, again: "never", reply: replyOf("answer_too_large", message) };
  }
  return {
    ...NO_STATUS,
    retry: true,
    again: isTimeout(cause) || ONCE_ONLY.has(cause) ? "never" : "once",
    reply: replyOf(isTimeout(cause) ? "upstream_timeout" : "do_request_failed", message),
  };
}

function classifyStatus(failure: AttemptFailure & { kind: "status" }, context: FailureContext): Verdict {
  const { error, retryAfterMs } = failure;
  const found = requestFault(failure.status, error);
  const fault = found === "access" && context.isOwnRequest ? null : found;
  const told = { isTransient: false, retryAfterMs, fault };
  // Content that is not allowed is not taken elsewhere. What one account may not use, or a model not read, another may.
  if (fault) {
    const rest = { again: "never", keyRestMs: null, disableReason: null, reply: faultReply(failure, fault) } as const;
    return { ...told, ...rest, retry: fault !== "policy" };
  }
  const status = context.statusCodeMapping.get(failure.status) ?? failure.status;
  const reason = deadReason(failure, status, context);
  const again = reason === null ? againFor(status, retryAfterMs) : "never";
  return {
    ...told,
    // Some upstreams say with 400 that a key or an account is of no use.
    retry: reason !== null || isRetryable(status, context.quirks),
    again,
    isTransient: again === "limited" ? retryAfterMs !== null : again === "once" && isTransient(status, error),
    keyRestMs: keyRest(status, retryAfterMs, reason !== null),
    disableReason: context.mayDisable ? reason : null,
    reply: reply(failure, reason !== null),
  };
}

/** Who has too much to do does not want to be asked again at once. */
const OVERLOADED = new Set([503, 529]);

function isTransient(status: number, { code }: WireError): boolean {
  return !OVERLOADED.has(status) && !NO_ANSWERS.has(code) && !isBrokenCall(code);
}

function againFor(status: number, retryAfterMs: number | null): Verdict["again"] {
  if (status === 429 || (status === 503 && retryAfterMs !== null)) return "limited";
  // An upstream that ran out of time would again.
  return status >= 500 && !TIMEOUT_STATUSES.has(status) ? "once" : "never";
}

function isRetryable(status: number, quirks: FailureQuirks): boolean {
  if (status === 400) return quirks.retriesBadRequest === true;
  return status < 200 || status > 299;
}

/** Statuses that concern a single key rather than the upstream. */
const KEY_STATUSES = new Set([401, 402, 403, 429]);

/** A limit ends by itself, and the upstream may say when. `isDead`: also where nothing may be disabled. */
function keyRest(status: number, retryAfterMs: number | null, isDead: boolean): number | null {
  if (!isDead && !KEY_STATUSES.has(status)) return null;
  if (isDead || status !== 429) return REFUSED_REST_MS;
  return Math.min(retryAfterMs ?? LIMITED_REST_MS, LIMITED_REST_MAX_MS);
}

/** Why the channel or its key is of no more use; null = it is not known to be. */
function deadReason(
  { error }: AttemptFailure & { kind: "status" },
  status: number,
  context: FailureContext,
): string | null {
  const isDead =
    status === 401 ||
    (status === 403 && isForbiddenDead(error, context.quirks)) ||
    DEAD_CODES.has(String(error.code)) ||
    DEAD_TYPES.has(error.type) ||
    DEAD_TEXT.test(error.message) ||
    ((ABOUT_THE_ACCOUNT.has(status) || status >= 500) && hasKeyword(error.message, context.disableKeywords));
  return isDead ? `status ${status}: ${error.message}` : null;
}

/** A 403 without an error of the provider's is of something before it, such as a firewall that dislikes a caller's text. */
export function isForbiddenDead({ code }: WireError, { forbiddenMeansDead }: FailureQuirks): boolean {
  return forbiddenMeansDead === true && code !== UNKNOWN_CODE;
}

function hasKeyword(message: string, keywords: readonly string[]): boolean {
  const text = message.replace(QUOTED, " ").toLowerCase();
  return keywords.some((word) => text.includes(word.toLowerCase()));
}

/** Statuses about who asks. Upstreams are asked by us, so the caller's key has no part in them. */
const ABOUT_OUR_ACCESS = new Set([401, 402, 403]);

/** `isDead`: the key or the account is of no use. */
function reply({ status, error }: AttemptFailure & { kind: "status" }, isDead: boolean): Verdict["reply"] {
  if (status === 429) {
    const message = "the upstream load of the current group is saturated, please try again later";
    const own = isDead ? replyOf("rate_limit_exceeded", message).error : {};
    return { status, error: { ...inOpenaiTerms(error, status), ...own, message } };
  }
  if (isDead || ABOUT_OUR_ACCESS.has(status)) return accessRefused(status, error);
  // A client cannot use a redirect or an unexpected success.
  return { status: status < 400 ? 502 : status, error: inOpenaiTerms(error, status) };
}

function accessRefused(status: number, { message }: WireError): Verdict["reply"] {
  return replyOf("upstream_access_refused", `the upstream refused the gateway's own access (${status}): ${message}`);
}

function faultReply({ status, error }: AttemptFailure & { kind: "status" }, fault: RequestFault): Verdict["reply"] {
  if (fault === "access" && refusesOurAccess(status, error)) return accessRefused(status, error);
  if (fault !== "context") return { status, error: inOpenaiTerms(error, status) };
  return { status: 400, error: { ...error, type: "invalid_request_error", code: TOO_LONG } };
}
