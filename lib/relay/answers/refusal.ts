import { readUpstreamError } from "../upstream-error";
import { AnswerRefused } from "./answer";

/** A failure reported by the upstream, by its status or by an error body despite a success status. */
export function refusal(status: number, body: Buffer, retryAfter?: string): AnswerRefused {
  const error = readUpstreamError(status, body);
  return new AnswerRefused({ kind: "status", status, error, retryAfterMs: readRetryAfter(retryAfter) });
}

/** A success status with a body that is not a response of the dialect. */
export function unreadableRefusal(body: Buffer): AnswerRefused {
  const error = readUpstreamError(500, body);
  const isError = error.code !== "bad_response_status_code";
  const unreadable = { ...error, message: "the upstream's answer is not JSON", code: "unmarshal_response_body_failed" };
  return new AnswerRefused({ kind: "status", status: 500, error: isError ? error : unreadable, retryAfterMs: null });
}

export function emptyRefusal(): AnswerRefused {
  return new AnswerRefused({ kind: "network", message: "the request to the upstream failed", isTimeout: false });
}

function readRetryAfter(text: string | undefined): number | null {
  if (text === undefined) return null;
  const seconds = Number(text);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : null;
}
