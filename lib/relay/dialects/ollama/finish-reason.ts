import type { FinishReason } from "../../canonical/finish-reason";

/** Ollama has no word for an answer that ends with calls, and versions before 0.1.38 give no reason at all. */
export function readFinishReason(given: string, hasCalls: boolean): FinishReason {
  const raw = given || "stop";
  if (raw === "stop") return { unified: hasCalls ? "tool-calls" : "stop", raw };
  return { unified: raw === "length" ? "length" : "other", raw };
}
