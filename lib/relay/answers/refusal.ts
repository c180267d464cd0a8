import { EMPTY_CODE, UNREADABLE_CODE } from "../base/classify-failure";
import { requestFault } from "../base/request-faults";
import { readRetryAfter } from "../base/retry-after";
import { RawError, readUpstreamError, reportedStatus } from "../base/upstream-error";
import { AnswerCut, AnswerRefused } from "./answer";

/** A failure reported by the upstream, by its status or by an error body despite a success status. */
export function refusal(status: number, body: Buffer, retryAfter?: string): AnswerRefused {
  const error = readUpstreamError(status, body);
  return new AnswerRefused({ kind: "status", status, error, retryAfterMs: readRetryAfter(retryAfter) });
}

/** A failure reported by a body or an event despite a success status; the status is the one that it names, else 502. */
export function reportedRefusal(text: string): AnswerRefused {
  const body = Buffer.from(text);
  return refusal(reportedStatus(body), body);
}

/** What an error event means: a refusal, or the end of an answer that has begun. */
export function reportedFailure(text: string, hasBegun: boolean): AnswerRefused | AnswerCut {
  if (!hasBegun) return reportedRefusal(text);
  const body = Buffer.from(text);
  const status = reportedStatus(body);
  const error = readUpstreamError(status, body);
  const isForbidden =
    requestFault(
      400,
      error.read((unseen) => unseen),
    ) === "policy";
  return new AnswerCut(undefined, isForbidden, { status, error });
}

/** A success status with a body that is not a response of the dialect. */
export function unreadableRefusal(body: Buffer): AnswerRefused {
  const given = readUpstreamError(500, body);
  const error = given.isUnknown ? UNREADABLE : given;
  return new AnswerRefused({ kind: "status", status: 500, error, retryAfterMs: null });
}

const UNREADABLE = new RawError({
  message: "the upstream's response is not JSON",
  type: "upstream_error",
  param: "500",
  code: UNREADABLE_CODE,
});

/** A success status with JSON that holds neither an answer nor an error. */
export function emptyAnswerRefusal(): AnswerRefused {
  return new AnswerRefused({ kind: "status", status: 502, error: EMPTY, retryAfterMs: null });
}

const EMPTY = new RawError({
  message: "the upstream's response is empty",
  type: "upstream_error",
  param: "502",
  code: EMPTY_CODE,
});

/** A filter withheld the answer: whoever is asked next would, too. `reason`: the provider's words. */
export function withheldRefusal(reason: string): AnswerRefused {
  return refusedOnce(`the provider's filter withheld it: ${reason}`, "content_policy_violation");
}

/** The model answered, and it may be billed, but not with what it was asked for. */
export function onlyWordsRefusal(said: string): AnswerRefused {
  return refusedOnce(`the model made nothing and said: ${said}`, "answered_in_words");
}

function refusedOnce(message: string, code: string): AnswerRefused {
  const error = new RawError({ message, type: "invalid_request_error", param: null, code });
  return new AnswerRefused({ kind: "status", status: 400, error, retryAfterMs: null });
}

/** The caller asked for so much at once. Whoever is asked works, and bills, for nothing. */
export function tooLargeRefusal(): AnswerRefused {
  const message = "the response is larger than 64 MB; ask for less at once, or for base64";
  return new AnswerRefused({ kind: "network", message, cause: "too_large" });
}

/** A stream that ended without an answer. */
export function emptyRefusal(): AnswerRefused {
  return new AnswerRefused({ kind: "network", message: "the request to the upstream failed", cause: "bad_answer" });
}
