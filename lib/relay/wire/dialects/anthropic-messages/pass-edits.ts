import { type Json, readObject } from "../../canonical/json";
import type { Edits, RequestFacts, UpstreamTarget } from "../dialect";
import { BUDGET_MIN } from "./thinking";

/** The changes to a request for an upstream of the same dialect. */
export function passEdits(json: Json, facts: RequestFacts, target: UpstreamTarget): Edits {
  const edits: Edits = {};
  if (target.model !== facts.model) edits.model = target.model;
  return Object.assign(edits, addSystemPrompt(json.system, target.systemPrompt));
}

/** Always true: Anthropic reports usage in every response. */
export function asksForUsage(): boolean {
  return true;
}

/** Adds the channel's system prompt when the request has none, or prepends it when it is forced. */
function addSystemPrompt(own: unknown, { text, isForced }: UpstreamTarget["systemPrompt"]): Edits {
  if (text === "") return {};
  const isEmpty = Array.isArray(own) ? own.length === 0 : typeof own !== "string" || own === "";
  if (isEmpty) return { system: text };
  if (!isForced) return {};
  return { system: Array.isArray(own) ? [{ type: "text", text }, ...own] : `${text}\n${own}` };
}

/** Lowers max_tokens to `tokens`, and a thinking budget that no longer fits below it. */
export function capEdits(json: Json, tokens: number): Edits {
  const { budget_tokens: budget } = readObject(json.thinking);
  const edits: Edits = { max_tokens: tokens };
  if (typeof budget !== "number" || budget < tokens) return edits;
  if (tokens <= BUDGET_MIN) return { ...edits, thinking: undefined };
  return { ...edits, thinking: { ...readObject(json.thinking), budget_tokens: tokens - 1 } };
}
