import type { FinishReason } from "../../canonical/finish-reason";

/** Spark says that an answer is over, not why. */
export function finishReasonOf(status: unknown, hasCall: boolean): FinishReason {
  return hasCall
    ? { unified: "tool-calls", raw: "function_call" }
    : { unified: "stop", raw: `status ${String(status)}` };
}
