import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { ChatResponse, Choice } from "../../canonical/response";
import type { ReadUsage } from "../dialect";
import { partsOf } from "./fields";
import { finishReasonOf, finishWordOf } from "./finish-reason";
import { countQueries, readGrounding } from "./grounding";
import { readLogprobs } from "./logprobs";
import { blockReasonOf } from "./pass-through";
import { assistantParts, callIdOf } from "./pieces";
import { readUsage as readOwnUsage, withSearches } from "./usage";

/** Returns null when this is not a response. */
export function decodeResponse(json: Json, readUsage: ReadUsage = readOwnUsage): ChatResponse | null {
  const id = readText(json.responseId);
  const candidates = readArray(json.candidates).map(readObject);
  const blocked = blockReasonOf(json);
  if (candidates.length === 0 && blocked === "") return null;
  const choices = blocked === "" ? candidates.map((one, at) => decodeChoice(one, at, id)) : [blockedChoice(blocked)];
  const usage = withSearches(
    readUsage(json.usageMetadata),
    candidates.reduce((sum, one) => sum + countQueries(one), 0),
  );
  return { id, model: readText(json.modelVersion), choices, usage };
}

function decodeChoice(candidate: Json, position: number, id: string): Choice {
  const index = indexOf(candidate, position);
  const content = assistantParts(partsOf(candidate.content), callIdOf(id, index));
  const texts = content.filter((part) => part.type === "text");
  const text = texts.map((part) => part.text).join("");
  const { citations, search } = readGrounding(candidate, text, searchIdOf(id, index));
  const last = texts.at(-1);
  if (last && citations.length > 0) last.citations = citations;
  const logprobs = readLogprobs(candidate);
  if (texts[0] && logprobs) texts[0].logprobs = logprobs;
  const hasCalls = content.some(({ type }) => type === "tool-call");
  const finishReason = finishReasonOf(finishWordOf(candidate), hasCalls);
  return search ? { index, content, finishReason, searches: [search] } : { index, content, finishReason };
}

/** Searches have no ids here. */
export function searchIdOf(answerId: string, choice: number): string {
  return `search_${answerId}_${choice}`.replace(/[^\w-]/g, "_");
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
