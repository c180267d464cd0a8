import type { Json } from "../../canonical/json";
import type { AssistantPart } from "../../canonical/request";
import type { ChatResponse } from "../../canonical/response";
import type { RenderContext } from "../dialect";
import { renderCitations } from "./citations";
import { readInput } from "./encode-messages";
import { renderFinishReason } from "./finish-reason";
import { renderUsage } from "./usage";
import { renderSearch } from "./web-search";

/** Renders only the first choice: clients of this dialect cannot ask for more. */
export function renderResponse({ id, choices, usage }: ChatResponse, context: RenderContext): Json {
  const [choice] = choices;
  return {
    id: messageId(id, context),
    type: "message",
    role: "assistant",
    model: context.model,
    content: [...(choice?.searches ?? []).flatMap(renderSearch), ...(choice?.content ?? []).map(renderPart)],
    stop_reason: choice ? renderFinishReason(choice.finishReason) : null,
    stop_sequence: null,
    usage: renderUsage(usage),
  };
}

export function messageId(id: string, { requestId }: RenderContext): string {
  if (id.startsWith("msg_")) return id;
  return `msg_${id || requestId}`;
}

function renderPart(part: AssistantPart): Json {
  switch (part.type) {
    case "text": {
      const citations = renderCitations(part.citations);
      return citations ? { type: "text", text: part.text, citations } : { type: "text", text: part.text };
    }
    case "refusal":
      return { type: "text", text: part.text };
    case "thinking":
      return { type: "thinking", thinking: part.text, signature: part.signature ?? "" };
    case "redacted-thinking":
      return { type: "redacted_thinking", data: part.data };
    case "tool-call":
      return { type: "tool_use", id: part.id, name: part.name, input: readInput(part.arguments) };
  }
}
