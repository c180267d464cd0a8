import type { FinishReason } from "../../canonical/finish-reason";

/** Versions before 0.1.38 give no reason at all. */
export function readFinishReason(given: string): FinishReason {
  const raw = given || "stop";
  if (raw === "stop") return { unified: "stop", raw };
  return { unified: raw === "length" ? "length" : "other", raw };
}
