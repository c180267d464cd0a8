import type { FinishReason } from "../../canonical/finish-reason";

/** The format has no reasons: an answer is finished. */
export function finishReason(): FinishReason {
  return { unified: "stop", raw: "finish" };
}
