import { type Json, readText } from "../../canonical/json";
import type { Edits, RequestFacts, UpstreamTarget } from "../dialect";
import { itemsOf } from "./items";

/** The changes to a request for an upstream of the same dialect. */
export function passEdits(json: Json, facts: RequestFacts, target: UpstreamTarget): Edits {
  const edits: Edits = {};
  if (target.model !== facts.model) edits.model = target.model;
  return Object.assign(edits, addSystemPrompt(json, target.systemPrompt));
}

/** Always true: the last event of every stream has the usage. */
export function asksForUsage(): boolean {
  return true;
}

/** Adds the channel's system prompt when the request has none, or prepends it when it is forced. */
function addSystemPrompt(json: Json, { text, isForced }: UpstreamTarget["systemPrompt"]): Edits {
  if (text === "") return {};
  const own = readText(json.instructions);
  if (own !== "") return isForced ? { instructions: `${text}\n${own}` } : {};
  const hasOwn = itemsOf(json).some(({ role }) => role === "system" || role === "developer");
  return hasOwn && !isForced ? {} : { instructions: text };
}

/** Lowers max_output_tokens to `tokens`, or sets it. */
export function capEdits(_json: Json, tokens: number): Edits {
  return { max_output_tokens: tokens };
}

/** Lowers max_tool_calls to `calls`, or sets it. */
export function callEdits({ max_tool_calls: given }: Json, calls: number): Edits {
  return { max_tool_calls: typeof given === "number" ? Math.min(given, calls) : calls };
}
