import type { Json } from "../../canonical/json";
import type { ChatResponse } from "../../canonical/response";
import { defined } from "../defined";
import type { RenderContext } from "../dialect";
import { renderFinishReason } from "./finish-reason";
import { renderSignature } from "./signature";
import { renderUsage } from "./usage";
import { writeParts } from "./write-parts";

export function renderResponse({ id, choices, usage }: ChatResponse, context: RenderContext): Json {
  return defined({
    candidates: choices.map(({ index, content, finishReason }) => ({
      content: { parts: writeParts(content, { sign: renderSignature, keepsThoughts: true }), role: "model" },
      finishReason: renderFinishReason(finishReason),
      index,
    })),
    usageMetadata: usage ? renderUsage(usage) : undefined,
    modelVersion: context.model,
    responseId: responseId(id, context),
  });
}

export function responseId(id: string, { requestId, answerId }: RenderContext): string {
  return answerId ?? (id || requestId);
}
