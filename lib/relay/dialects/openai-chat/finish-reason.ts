import type { FinishReason } from "../../canonical/finish-reason";

const UNIFIED: Readonly<Record<string, FinishReason["unified"]>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool-calls",
  function_call: "tool-calls",
  content_filter: "content-filter",
};

/** OpenAI's word for the end of a choice. */
export function readFinishReason(raw: string): FinishReason {
  return { unified: Object.hasOwn(UNIFIED, raw) ? (UNIFIED[raw] ?? "other") : "other", raw };
}
