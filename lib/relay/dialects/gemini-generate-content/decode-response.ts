import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { ChatResponse, Choice } from "../../canonical/response";
import type { ReadUsage } from "../dialect";
import { partsOf } from "./fields";
import { finishReasonOf, finishWordOf } from "./finish-reason";
import { blockReasonOf } from "./pass-through";
import { assistantParts, callIdOf } from "./pieces";
import { readUsage as readOwnUsage } from "./usage";

/** Returns null when this is not a response. */
export function decodeResponse(json: Json, readUsage: ReadUsage = readOwnUsage): ChatResponse | null {
  const id = readText(json.responseId);
  const candidates = readArray(json.candidates).map(readObject);
  const blocked = blockReasonOf(json);
  if (candidates.length === 0 && blocked === "") return null;
  const choices = blocked === "" ? candidates.map((one, at) => decodeChoice(one, at, id)) : [blockedChoice(blocked)];
  return { id, model: readText(json.modelVersion), choices, usage: readUsage(json.usageMetadata) };
}

function decodeChoice(candidate: Json, position: number, id: string): Choice {
  const index = indexOf(candidate, position);
  const content = assistantParts(partsOf(candidate.content), callIdOf(id, index));
  const hasCalls = content.some(({ type }) => type === "tool-call");
  return { index, content, finishReason: finishReasonOf(finishWordOf(candidate), hasCalls) };
}

/** Google leaves a zero out. */
export function indexOf({ index }: Json, position: number): number {
  return typeof index === "number" ? index : position;
}

export function blockedText(reason: string): string {
  return `The prompt was blocked: ${reason}`;
}

function blockedChoice(reason: string): Choice {
  return {
    index: 0,
    content: [{ type: "refusal", text: blockedText(reason) }],
    finishReason: { unified: "content-filter", raw: reason },
  };
}
