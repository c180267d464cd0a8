import type { Json } from "../../canonical/json";
import type { Edits, RequestFacts, UpstreamTarget } from "../dialect";

/** What changes in a request that an upstream of the same dialect gets. */
export function passEdits(json: Json, facts: RequestFacts, target: UpstreamTarget): Edits {
  const edits: Edits = {};
  if (target.model !== facts.model) edits.model = target.model;
  return Object.assign(edits, addSystemPrompt(json.system, target.systemPrompt));
}

/** Usage is part of every answer. */
export function asksForUsage(): boolean {
  return true;
}

/** Puts the channel's system prompt in where the request has none; when it is forced, also in front of its own. */
function addSystemPrompt(own: unknown, { text, isForced }: UpstreamTarget["systemPrompt"]): Edits {
  if (text === "") return {};
  const isEmpty = Array.isArray(own) ? own.length === 0 : typeof own !== "string" || own === "";
  if (isEmpty) return { system: text };
  if (!isForced) return {};
  return { system: Array.isArray(own) ? [{ type: "text", text }, ...own] : `${text}\n${own}` };
}
