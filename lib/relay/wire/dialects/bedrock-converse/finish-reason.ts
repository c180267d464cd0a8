import type { FinishReason } from "../../canonical/event";

const UNIFIED: ReadonlyMap<string, FinishReason["unified"]> = new Map<string, FinishReason["unified"]>([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["tool_use", "tool-calls"],
  ["guardrail_intervened", "content-filter"],
  ["content_filtered", "content-filter"],
]);

export function readFinishReason(raw: string): FinishReason {
  return { unified: UNIFIED.get(raw) ?? "other", raw };
}
