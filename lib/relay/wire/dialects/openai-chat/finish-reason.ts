import type { FinishReason } from "../../canonical/event";

type Unified = FinishReason["unified"];

/** OpenAI's values, and those that other upstreams of its format use instead. */
const UNIFIED: ReadonlyMap<string, Unified> = new Map<string, Unified>([
  ["stop", "stop"],
  ["length", "length"],
  ["tool_calls", "tool-calls"],
  ["function_call", "tool-calls"],
  ["content_filter", "content-filter"],
  // Mistral, Zhipu, and gateways that forward Anthropic's values.
  ["model_length", "length"],
  ["sensitive", "content-filter"],
  ["max_tokens", "length"],
  ["end_turn", "stop"],
  ["tool_use", "tool-calls"],
  // Together, TGI, and servers that write the word in the singular.
  ["eos", "stop"],
  ["eos_token", "stop"],
  ["stop_sequence", "stop"],
  ["tool_call", "tool-calls"],
]);

const WORD: Readonly<Record<Unified, string>> = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_calls",
  "content-filter": "content_filter",
  other: "stop",
};

export function readFinishReason(raw: string): FinishReason {
  return { unified: UNIFIED.get(raw) ?? "other", raw };
}

export function renderFinishReason({ unified }: FinishReason): string {
  return WORD[unified];
}
