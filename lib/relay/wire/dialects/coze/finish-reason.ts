import type { FinishReason } from "../../canonical/finish-reason";

/** The status of a chat that is over; there are no other reasons. */
export function finishReason(): FinishReason {
  return { unified: "stop", raw: "completed" };
}
