import type { Rules } from "../../../../model-rules/schema";
import { type Json, readObject } from "../../canonical/json";
import type { Edits, RequestFacts, UpstreamTarget } from "../dialect";
import { readCompletionMax } from "./facts";

/** The changes to a request for an upstream of the same dialect. */
export function passEdits(json: Json, facts: RequestFacts, target: UpstreamTarget): Edits {
  const edits: Edits = {};
  if (target.model !== facts.model) edits.model = target.model;
  addStreamEdit(edits, json, facts.isStream && target.canReportStreamUsage);
  return Object.assign(edits, addSystemPrompt(json.messages, target.systemPrompt));
}

export function asksForUsage(json: Json): boolean {
  return readObject(json.stream_options).include_usage === true;
}

/** Asks for the usage frame if the upstream supports it, otherwise removes stream_options. */
function addStreamEdit(edits: Edits, json: Json, canAsk: boolean): void {
  const given = json.stream_options;
  if (!canAsk) {
    if (given !== undefined) edits.stream_options = undefined;
    return;
  }
  if (asksForUsage(json)) return;
  const options = typeof given === "object" && given !== null ? given : {};
  edits.stream_options = { ...options, include_usage: true };
}

function isSystem(message: unknown): boolean {
  const { role } = readObject(message);
  return role === "system" || role === "developer";
}

/** Adds the channel's system prompt when the request has none, or prepends it when it is forced. */
function addSystemPrompt(messages: unknown, { text, isForced }: UpstreamTarget["systemPrompt"]): Edits {
  if (text === "" || !Array.isArray(messages)) return {};
  const at = messages.findIndex(isSystem);
  if (at === -1) return { messages: [{ role: "system", content: text }, ...messages] };
  if (!isForced) return {};
  const own = readObject(messages[at]);
  return { messages: messages.with(at, { ...own, content: joinPrompts(text, own.content) }) };
}

function joinPrompts(prompt: string, content: unknown): unknown {
  if (Array.isArray(content)) return [{ type: "text", text: prompt }, ...content];
  return typeof content === "string" && content !== "" ? `${prompt}\n${content}` : prompt;
}

/** Lowers the completion limit per choice to `tokens`, or sets it when the request has none. */
export function capEdits(json: Json, tokens: number, { limit = "max_tokens" }: Rules): Edits {
  if (readCompletionMax(json) === null) return { [limit]: tokens };
  const edits: Edits = {};
  for (const name of ["max_tokens", "max_completion_tokens"]) {
    const given = json[name];
    if (typeof given === "number" && given > tokens) edits[name] = tokens;
  }
  return edits;
}
