import type { Json } from "../../canonical/json";
import type { AssistantPart } from "../../canonical/request";
import type { ChatResponse } from "../../canonical/response";
import { defined } from "../common/defined";
import { renderLogprobs } from "../common/openai/openai-logprobs";
import type { RenderContext } from "../dialect";
import { encodeAnnotation } from "./annotations";
import { renderFinishReason } from "./finish-reason";
import { encodeDetail, needsDetails } from "./reasoning-details";
import { renderUsage } from "./usage";

export function renderResponse({ id, choices, usage }: ChatResponse, context: RenderContext): Json {
  return defined({
    id: completionId(id, context),
    object: "chat.completion",
    created: context.createdAt,
    model: context.model,
    choices: choices.map(({ index, content, finishReason }) => ({
      index,
      message: renderMessage(content),
      logprobs: renderChances(content),
      finish_reason: renderFinishReason(finishReason),
    })),
    usage: usage ? renderUsage(usage) : undefined,
  });
}

export function completionId(id: string, { requestId, answerId }: RenderContext): string {
  if (answerId !== undefined) return answerId;
  if (id.startsWith("chatcmpl-")) return id;
  return `chatcmpl-${id || requestId}`;
}

function renderChances(content: readonly AssistantPart[]): Json | null {
  const tokens = content.flatMap((part) => (part.type === "text" ? (part.logprobs ?? []) : []));
  return tokens.length > 0 ? { content: renderLogprobs(tokens), refusal: null } : null;
}

function renderMessage(content: readonly AssistantPart[]): Json {
  const texts = (type: AssistantPart["type"]): string[] =>
    content.flatMap((part) => (part.type === type && "text" in part ? [part.text] : []));
  const thoughts = content.filter((part) => part.type === "thinking" || part.type === "redacted-thinking");
  const calls = content.flatMap((part) =>
    part.type === "tool-call"
      ? [{ id: part.id, type: "function", function: { name: part.name, arguments: part.arguments } }]
      : [],
  );
  const annotations = content.flatMap((part) =>
    part.type === "text" ? (part.citations ?? []).flatMap((citation) => encodeAnnotation(citation) ?? []) : [],
  );
  const isSilent = texts("text").length === 0;
  return defined({
    role: "assistant",
    content: isSilent ? null : texts("text").join(""),
    refusal: texts("refusal").join("") || null,
    annotations: annotations.length > 0 ? annotations : undefined,
    reasoning_content: texts("thinking").join("") || undefined,
    reasoning_details: needsDetails(thoughts) ? thoughts.map(encodeDetail) : undefined,
    tool_calls: calls.length > 0 ? calls : undefined,
  });
}
