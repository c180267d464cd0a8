import { type Json, readText } from "../../canonical/json";
import type { AssistantPart } from "../../canonical/request";
import type { ChatResponse } from "../../canonical/response";
import { countThrough } from "../common/citation-place";
import type { ReadUsage } from "../dialect";
import { blocksOf } from "./blocks";
import { decodeBlock } from "./decode-messages";
import { readFinishReason } from "./finish-reason";
import { readUsage as readOwnUsage } from "./usage";
import { searchesOf } from "./web-search";

/** Returns null when this is not a response. Block types that no other dialect has are dropped. */
export function decodeResponse(json: Json, readUsage: ReadUsage = readOwnUsage): ChatResponse | null {
  if (!Array.isArray(json.content)) return null;
  const blocks = blocksOf(json.content);
  const content = joinTexts(blocks.flatMap((block) => decodeBlock(block) ?? []));
  const searches = searchesOf(blocks);
  const finishReason = readFinishReason(readText(json.stop_reason));
  return {
    id: readText(json.id),
    model: readText(json.model),
    choices: [{ index: 0, content, finishReason, ...(searches.length > 0 ? { searches } : {}) }],
    usage: readUsage(json.usage),
  };
}

/** Anthropic begins a block for each stretch that has sources of its own. */
function joinTexts(content: readonly AssistantPart[]): AssistantPart[] {
  const joined: AssistantPart[] = [];
  for (const part of countThrough(content)) {
    const last = joined.at(-1);
    if (part.type !== "text" || last?.type !== "text") {
      joined.push(part);
      continue;
    }
    const citations = [...(last.citations ?? []), ...(part.citations ?? [])];
    const text = last.text + part.text;
    joined[joined.length - 1] = citations.length > 0 ? { ...last, text, citations } : { ...last, text };
  }
  return joined;
}
