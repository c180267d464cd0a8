import { readRetryAfter } from "../retry-after";
import { RawError, readUpstreamError } from "../upstream-error";
import { AnswerRefused } from "./answer";

/** The error code of a success status with a body that cannot be read. */
export const UNREADABLE_CODE = "unmarshal_response_body_failed";

/** A failure reported by the upstream, by its status or by an error body despite a success status. */
export function refusal(status: number, body: Buffer, retryAfter?: string): AnswerRefused {
  const error = readUpstreamError(status, body);
  return new AnswerRefused({ kind: "status", status, error, retryAfterMs: readRetryAfter(retryAfter) });
}

/** A success status with a body that is not a response of the dialect. */
export function unreadableRefusal(body: Buffer): AnswerRefused {
  const given = readUpstreamError(500, body);
  const error = given.isUnknown ? UNREADABLE : given;
  return new AnswerRefused({ kind: "status", status: 500, error, retryAfterMs: null });
}

const UNREADABLE = new RawError({
  message: "the upstream's answer is not JSON",
  type: "upstream_error",
  param: "500",
  code: UNREADABLE_CODE,
});

export function emptyRefusal(): AnswerRefused {
  return new AnswerRefused({ kind: "network", message: "the request to the upstream failed", cause: "bad_answer" });
}
