import type { WireError } from "../../canonical/wire-error";
import { isFailureStatus } from "./reported-error";

/** How each API that callers speak names an error. `googleStatus`: where Google's API has another HTTP status for it. */
type Words = {
  openai: { type: string; code: string | null };
  anthropic: string;
  google: string;
  /** Where the API knows no such status. */
  openaiStatus?: number;
  googleStatus?: number;
};

const invalid = { type: "invalid_request_error", code: null };
const broken = { type: "server_error", code: null };

/**
 * https://platform.openai.com/docs/guides/error-codes, https://docs.anthropic.com/en/api/errors,
 * https://cloud.google.com/apis/design/errors (all of November 2026).
 */
const WORDS: ReadonlyMap<number, Words> = new Map<number, Words>([
  [400, { openai: invalid, anthropic: "invalid_request_error", google: "INVALID_ARGUMENT" }],
  [
    401,
    { openai: { ...invalid, code: "invalid_api_key" }, anthropic: "authentication_error", google: "UNAUTHENTICATED" },
  ],
  [
    402,
    { openai: { ...invalid, code: "insufficient_quota" }, anthropic: "billing_error", google: "FAILED_PRECONDITION" },
  ],
  [
    403,
    { openai: { ...invalid, code: "permission_denied" }, anthropic: "permission_error", google: "PERMISSION_DENIED" },
  ],
  [404, { openai: { ...invalid, code: "not_found" }, anthropic: "not_found_error", google: "NOT_FOUND" }],
  [408, { openai: broken, anthropic: "timeout_error", google: "DEADLINE_EXCEEDED" }],
  [409, { openai: invalid, anthropic: "invalid_request_error", google: "ABORTED" }],
  [
    413,
    { openai: { ...invalid, code: "request_too_large" }, anthropic: "request_too_large", google: "INVALID_ARGUMENT" },
  ],
  [422, { openai: invalid, anthropic: "invalid_request_error", google: "INVALID_ARGUMENT" }],
  [
    429,
    {
      openai: { type: "rate_limit_error", code: "rate_limit_exceeded" },
      anthropic: "rate_limit_error",
      google: "RESOURCE_EXHAUSTED",
    },
  ],
  [499, { openai: invalid, anthropic: "invalid_request_error", google: "CANCELLED" }],
  [500, { openai: broken, anthropic: "api_error", google: "INTERNAL" }],
  [501, { openai: broken, anthropic: "api_error", google: "UNIMPLEMENTED" }],
  [502, { openai: broken, anthropic: "api_error", google: "INTERNAL" }],
  [503, { openai: { ...broken, code: "overloaded" }, anthropic: "overloaded_error", google: "UNAVAILABLE" }],
  [504, { openai: broken, anthropic: "timeout_error", google: "DEADLINE_EXCEEDED" }],
  [
    529,
    {
      openai: { ...broken, code: "overloaded" },
      anthropic: "overloaded_error",
      google: "UNAVAILABLE",
      openaiStatus: 503,
      googleStatus: 503,
    },
  ],
]);

/** Others below 500 are about the request, and the rest about the upstream. */
const REQUEST: Words = { openai: invalid, anthropic: "invalid_request_error", google: "FAILED_PRECONDITION" };
const UPSTREAM: Words = { openai: broken, anthropic: "api_error", google: "INTERNAL" };

export function wordsOf(status: number): Words {
  return WORDS.get(status) ?? (status < 500 ? REQUEST : UPSTREAM);
}

export const ANTHROPIC_TYPES: ReadonlySet<string> = new Set([
  ...[...WORDS.values()].map(({ anthropic }) => anthropic),
  "api_error",
]);
/** A type that says in OpenAI's terms what it says in Anthropic's. */
const SHARED_TYPE = "invalid_request_error";

/** The code that an answer to a request has which is too long for the model. */
export const TOO_LONG = "context_length_exceeded";

/**
 * An upstream's error in OpenAI's terms, whatever its API calls it. What has no name of a known API stays as it is
 * (contract §4.6).
 */
export function inOpenaiTerms(error: WireError, status: number): WireError {
  const isAnthropics = ANTHROPIC_TYPES.has(error.type) && error.type !== SHARED_TYPE;
  const isGoogles = isFailureStatus(error.code);
  if (!isAnthropics && !isGoogles) return error;
  const { type, code } = wordsOf(status).openai;
  return { ...error, type, code: typeof error.code === "string" && !isGoogles ? error.code : code };
}

/** Clients look for these words to tell that a request is too long. */
export function saysTooLong({ code, message }: WireError, words: RegExp, beginning: string): string {
  return code === TOO_LONG && !words.test(message) ? `${beginning}: ${message}` : message;
}
