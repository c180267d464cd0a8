import type { FinishReason } from "../../canonical/finish-reason";

/** This format has no word for why an answer ends. */
export function endReason(): FinishReason {
  return { unified: "stop", raw: "stop" };
}
