import type { FinishReason } from "../../canonical/finish-reason";

/** `raw`: the status of the task, or what ended the stream. */
export function readFinishReason(raw: string): FinishReason {
  return { unified: raw === "interrupted" ? "content-filter" : "stop", raw };
}
