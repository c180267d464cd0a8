import type { ChatEvent } from "./event";
import type { AssistantPart, TextPart } from "./request";
import type { ChatResponse } from "./response";

/** Converts a complete response to stream events, for clients that asked for a stream. */
export function responseEvents({ id, model, choices, usage }: ChatResponse): ChatEvent[] {
  const events: ChatEvent[] = [{ type: "start", id, model }];
  for (const { index: choice, content, finishReason, searches = [] } of choices) {
    let calls = 0;
    for (const search of searches) events.push({ type: "search", choice, search });
    for (const part of content) {
      events.push(...partEvents(part, choice, calls));
      if (part.type === "tool-call") calls += 1;
    }
    events.push({ type: "finish", choice, reason: finishReason });
  }
  if (usage) events.push({ type: "usage", usage });
  return events;
}

function partEvents(part: AssistantPart, choice: number, index: number): ChatEvent[] {
  switch (part.type) {
    case "text":
      return textEvents(part, choice);
    case "refusal":
      return [{ type: "refusal-delta", choice, text: part.text }];
    case "thinking": {
      const thinking: ChatEvent = { type: "thinking-delta", choice, text: part.text };
      if (part.signature === undefined) return [thinking];
      return [thinking, { type: "thinking-signature", choice, signature: part.signature }];
    }
    case "redacted-thinking":
      return [{ type: "redacted-thinking", choice, data: part.data }];
    case "tool-call":
      return [
        { type: "tool-call-start", choice, index, id: part.id, name: part.name },
        { type: "tool-call-delta", choice, index, arguments: part.arguments },
      ];
  }
}

function textEvents({ text, logprobs, citations = [] }: TextPart, choice: number): ChatEvent[] {
  const said: ChatEvent = { type: "text-delta", choice, text, ...(logprobs ? { logprobs } : {}) };
  return [said, ...citations.map((citation): ChatEvent => ({ type: "citation", choice, citation }))];
}
