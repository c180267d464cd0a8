import type { FinishReason } from "../../canonical/finish-reason";

/** This format has no word for why an answer ends. */
export function endReason(hasCalls: boolean): FinishReason {
  return { unified: hasCalls ? "tool-calls" : "stop", raw: "stop" };
}
