import { type Json, readText } from "../../canonical/json";
import type { Edits, RequestFacts, UpstreamTarget } from "../dialect";
import { generationConfig, givenName, systemParts } from "./fields";

/** The changes to a request for an upstream of the same dialect. The path names the model; a body may do so too. */
export function passEdits(json: Json, _facts: RequestFacts, target: UpstreamTarget): Edits {
  const edits: Edits = {};
  if (json.model !== undefined) edits.model = `models/${target.model}`;
  return Object.assign(edits, addSystemPrompt(json, target.systemPrompt));
}

/** Always true: Google reports usage in every response. */
export function asksForUsage(): boolean {
  return true;
}

/** Adds the channel's system prompt when the request has none, or prepends it when it is forced. */
function addSystemPrompt(json: Json, { text, isForced }: UpstreamTarget["systemPrompt"]): Edits {
  if (text === "") return {};
  const own = systemParts(json).filter((part) => readText(part.text) !== "");
  if (own.length > 0 && !isForced) return {};
  return { [givenName(json, "systemInstruction")]: { parts: [{ text }, ...own] } };
}

/** Lowers the limit per answer to `tokens`, or sets it. Thoughts count in it. */
export function capEdits(json: Json, tokens: number): Edits {
  const config = generationConfig(json);
  return { [givenName(json, "generationConfig")]: { ...config, [givenName(config, "maxOutputTokens")]: tokens } };
}
