import { AnswerRefused } from "../../answers/answer";
import { RawError } from "../../base/upstream-error";

/** An upstream's answer with a success status that takes no task. The status decides what is tried next. */
export function refusedTask(status: number, message: string, code: string, type = "upstream_error"): AnswerRefused {
  const error = new RawError({ message, type, param: null, code });
  return new AnswerRefused({ kind: "status", status, error, retryAfterMs: null });
}
