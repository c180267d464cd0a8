import type { FinishReason } from "../../canonical/finish-reason";

/** The format has no reasons: an answer ends, or moderation puts another one in its place. */
export function finishReason(isReplaced: boolean): FinishReason {
  return isReplaced ? { unified: "content-filter", raw: "message_replace" } : { unified: "stop", raw: "message_end" };
}
