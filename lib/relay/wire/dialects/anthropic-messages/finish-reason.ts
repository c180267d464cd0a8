import type { FinishReason } from "../../canonical/event";

type Unified = FinishReason["unified"];

const UNIFIED: ReadonlyMap<string, Unified> = new Map<string, Unified>([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["tool_use", "tool-calls"],
  ["refusal", "content-filter"],
  ["pause_turn", "other"],
]);

/** OpenAI's words, by which servers that speak this format for other models end answers that were cut. */
const OF_OTHERS: ReadonlyMap<string, Unified> = new Map<string, Unified>([
  ["length", "length"],
  ["content_filter", "content-filter"],
]);

const WORD: Readonly<Record<Unified, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  "tool-calls": "tool_use",
  "content-filter": "refusal",
  other: "end_turn",
};

export function readFinishReason(raw: string): FinishReason {
  return { unified: UNIFIED.get(raw) ?? OF_OTHERS.get(raw) ?? "other", raw };
}

/** Keeps the raw value when it is one of Anthropic's own. */
export function renderFinishReason({ unified, raw }: FinishReason): string {
  return UNIFIED.get(raw) === unified ? raw : WORD[unified];
}
