import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { AssistantPart } from "../../canonical/request";
import type { ChatResponse } from "../../canonical/response";
import { countThrough } from "../common/citation-place";
import { defined } from "../common/defined";
import { readLogprobs } from "../common/openai/openai-logprobs";
import type { ReadUsage } from "../dialect";
import { pictureLink, pictureText } from "../pictures/answer-pictures";
import { isDataUrl } from "../pictures/data-url";
import { decodeAnnotations } from "./annotations";
import { finishReasonOf } from "./finish-reason";
import { partsOf, partText, THOUGHT_BREAK, thoughtTexts, typeOf } from "./items";
import { fullName, inputArguments } from "./tools";
import { readUsage as readOwnUsage, withSearches } from "./usage";
import { decodeSearch } from "./web-search";

/** Returns null when this is not a response. Items that no other dialect has are dropped. */
export function decodeResponse(json: Json, readUsage: ReadUsage = readOwnUsage): ChatResponse | null {
  if (!Array.isArray(json.output)) return null;
  const items = json.output.map(readObject);
  const content = countThrough(items.flatMap(decodeItem));
  const searches = items.flatMap((item) => (item.type === "web_search_call" ? (decodeSearch(item) ?? []) : []));
  const finishReason = finishReasonOf(json, "completed");
  return {
    id: readText(json.id),
    model: readText(json.model),
    choices: [{ index: 0, content, finishReason, ...(searches.length > 0 ? { searches } : {}) }],
    usage: withSearches(readUsage(json.usage), searches.length),
  };
}

/** An item of the output as parts of an answer. */
export function decodeItem(item: Json): AssistantPart[] {
  switch (typeOf(item)) {
    case "message":
      return partsOf(item.content).flatMap((part): AssistantPart[] => {
        const text = partText(part);
        if (text === "") return [];
        if (part.type === "refusal") return [{ type: "refusal", text }];
        return [
          defined({
            type: "text" as const,
            text,
            citations: decodeAnnotations(part),
            logprobs: readLogprobs(part.logprobs),
          }),
        ];
      });
    case "reasoning":
      return decodeReasoning(item);
    case "function_call":
    case "custom_tool_call":
      return [decodeCall(item)];
    case "image_generation_call":
      return decodeDrawn(item);
    default:
      return [];
  }
}

/** https://platform.openai.com/docs/guides/image-generation. Without its result it is known only to its maker. */
export function decodeDrawn({ type, result, output_format: format }: Json): AssistantPart[] {
  const data = type === "image_generation_call" ? readText(result) : "";
  if (data === "") return [];
  const mediaType = `image/${readText(format).toLowerCase() || "png"}`;
  return [{ type: "text", text: isDataUrl(data) ? pictureLink(data) : pictureText({ mediaType, data }) }];
}

/** A summary with an encrypted thought is signed by it; a thought without a summary is unreadable. */
export function decodeReasoning(item: Json): AssistantPart[] {
  const seal = readText(item.encrypted_content);
  const text = joinThoughts(item);
  if (hasSummary(item)) return [seal === "" ? { type: "thinking", text } : { type: "thinking", text, signature: seal }];
  return seal === "" ? [] : [{ type: "redacted-thinking", data: seal }];
}

export function joinThoughts(item: Json): string {
  return thoughtTexts(item)
    .filter((text) => text !== "")
    .join(THOUGHT_BREAK);
}

/** Also an empty one: then the thought is signed, and nothing of it is told. */
export function hasSummary({ summary, content }: Json): boolean {
  return readArray(summary).length > 0 || readArray(content).length > 0;
}

export function decodeCall(item: Json): Extract<AssistantPart, { type: "tool-call" }> {
  const values = item.type === "custom_tool_call" ? inputArguments(readText(item.input)) : argumentsOf(item);
  return {
    type: "tool-call",
    id: readText(item.call_id) || readText(item.id),
    name: fullName(readText(item.namespace), readText(item.name)),
    arguments: values,
  };
}

/** Some upstreams send an object where OpenAI sends JSON text. */
export function argumentsOf({ arguments: values }: Json): string {
  return typeof values === "object" && values !== null ? JSON.stringify(values) : readText(values);
}
