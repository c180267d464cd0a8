import { type Json, readText } from "../../canonical/json";
import type { ChatResponse } from "../../canonical/response";
import type { ReadUsage } from "../dialect";
import { blocksOf } from "./blocks";
import { decodeBlock } from "./decode-messages";
import { readFinishReason } from "./finish-reason";
import { readUsage as readOwnUsage } from "./usage";

/** Returns null when this is not a response. Block types that no other dialect has are dropped. */
export function decodeResponse(json: Json, readUsage: ReadUsage = readOwnUsage): ChatResponse | null {
  if (!Array.isArray(json.content)) return null;
  const content = blocksOf(json.content).flatMap((block) => decodeBlock(block) ?? []);
  const finishReason = readFinishReason(readText(json.stop_reason));
  return {
    id: readText(json.id),
    model: readText(json.model),
    choices: [{ index: 0, content, finishReason }],
    usage: readUsage(json.usage),
  };
}
