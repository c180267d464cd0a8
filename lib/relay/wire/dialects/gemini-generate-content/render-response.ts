import type { Json } from "../../canonical/json";
import type { ChatResponse, Choice } from "../../canonical/response";
import { defined } from "../common/defined";
import type { RenderContext } from "../dialect";
import { renderFinishReason } from "./finish-reason";
import { renderGrounding } from "./grounding";
import { average, renderLogprobs } from "./logprobs";
import { renderSignature } from "./signature";
import { renderUsage } from "./usage";
import { writeParts } from "./write-parts";

export function renderResponse({ id, choices, usage }: ChatResponse, context: RenderContext): Json {
  return defined({
    candidates: choices.map(renderChoice),
    usageMetadata: usage ? renderUsage(usage) : undefined,
    modelVersion: context.model,
    responseId: responseId(id, context),
  });
}

function renderChoice({ index, content, finishReason, searches = [] }: Choice): Json {
  const texts = content.filter((part) => part.type === "text");
  const text = texts.map((part) => part.text).join("");
  const tokens = texts.flatMap(({ logprobs = [] }) => logprobs);
  return defined({
    content: { parts: writeParts(content, { sign: renderSignature, keepsThoughts: true }), role: "model" },
    finishReason: renderFinishReason(finishReason),
    groundingMetadata: renderGrounding(
      text,
      texts.flatMap(({ citations = [] }) => citations),
      searches,
    ),
    ...(tokens.length > 0 ? { avgLogprobs: average(tokens), logprobsResult: renderLogprobs(tokens) } : {}),
    index,
  });
}

export function responseId(id: string, { requestId, answerId }: RenderContext): string {
  return answerId ?? (id || requestId);
}
