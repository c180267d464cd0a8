import type { FinishReason } from "../../canonical/event";
import { type Json, readList, readObject } from "../../canonical/json";
import type { Usage } from "../../canonical/usage";
import type { RenderContext } from "../dialect";
import { incompleteReason } from "./finish-reason";
import { type Declared, inputOf } from "./tools";
import { renderUsage } from "./usage";

export type ItemStatus = "in_progress" | "completed" | "incomplete";
/** A part of a message. */
export type SaidPart = {
  type: "output_text" | "refusal";
  text: string;
  annotations?: Json[];
  logprobs?: Json[];
};
export type WrittenCall = Declared & { id: string; callId: string; arguments: string };

export function partJson({ type, text, annotations = [], logprobs = [] }: SaidPart): Json {
  return type === "refusal" ? { type, refusal: text } : { type, annotations, logprobs, text };
}

export function messageItem(id: string, parts: readonly SaidPart[], status: ItemStatus): Json {
  return { id, type: "message", status, role: "assistant", content: parts.map(partJson) };
}

/** `text`: null = the thought has no summary. `seal`: what the client must send back with it. */
export function reasoningItem(id: string, text: string | null, seal: string | null): Json {
  const summary = text === null ? [] : [{ type: "summary_text", text }];
  return { id, type: "reasoning", summary, ...(seal === null ? {} : { encrypted_content: seal }) };
}

/** `fullName`: as the upstream called it. */
export function newCall(
  { id, callId, fullName }: { id: (prefix: string) => string; callId: string; fullName: string },
  declared: ReadonlyMap<string, Declared>,
): WrittenCall {
  const tool = declared.get(fullName) ?? { name: fullName, namespace: undefined, isFree: false };
  return { ...tool, id: id(tool.isFree ? "ctc" : "fc"), callId, arguments: "" };
}

export function callItem(call: WrittenCall, status: ItemStatus): Json {
  const { id, callId, name, arguments: values, isFree, namespace } = call;
  const told = { id, type: isFree ? "custom_tool_call" : "function_call", status, call_id: callId, name };
  const of = namespace === undefined ? told : { ...told, namespace };
  return isFree ? { ...of, input: inputOf(values) } : { ...of, arguments: values };
}

/** The id of an item: that of the answer with another prefix, and its position. */
export function itemId(prefix: string, answerId: string, index: number): string {
  return `${prefix}_${answerId.replace(/^resp_/, "")}_${index}`;
}

/** Begins the ids of translated answers, after the prefix of their kind: no upstream keeps these. */
const OURS = "weir_";

export function isOwnId(id: string): boolean {
  return /^[a-z]+_weir_/.test(id);
}

export function responseId(id: string, { requestId, answerId }: RenderContext): string {
  return answerId ?? `resp_${OURS}${id.replace(/^resp_/, "") || requestId}`;
}

/** A tool of the request, with what its client left out of a function. */
function toldTool(tool: unknown): unknown {
  const { type } = readObject(tool);
  if (type !== "function") return tool;
  return { description: null, parameters: null, strict: null, ...readObject(tool) };
}

/** What an answer says of itself. `reason`: null = it is being written. */
type Told = { id: string; output: readonly Json[]; reason: FinishReason | null; usage: Usage | null };

/** The object around an answer. It repeats the settings of the request. */
export function responseJson(
  { id, output, reason, usage }: Told,
  { model, createdAt, now, request = {} }: RenderContext,
): Json {
  const incomplete = reason && incompleteReason(reason);
  const isCompleted = reason !== null && !incomplete;
  return {
    id,
    object: "response",
    created_at: createdAt,
    completed_at: isCompleted ? (now?.() ?? createdAt) : null,
    status: reason === null ? "in_progress" : incomplete ? "incomplete" : "completed",
    background: false,
    error: null,
    incomplete_details: incomplete ? { reason: incomplete } : null,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: request.max_tool_calls ?? null,
    metadata: request.metadata ?? {},
    model,
    output,
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    presence_penalty: 0,
    frequency_penalty: 0,
    previous_response_id: null,
    prompt_cache_key: request.prompt_cache_key ?? null,
    reasoning: { effort: null, summary: null, ...readObject(request.reasoning) },
    safety_identifier: request.safety_identifier ?? null,
    service_tier: "default",
    store: false,
    temperature: request.temperature ?? 1,
    text: { format: { type: "text" }, ...readObject(request.text) },
    tool_choice: request.tool_choice ?? "auto",
    tools: readList(request.tools).map(toldTool),
    top_logprobs: request.top_logprobs ?? 0,
    top_p: request.top_p ?? 1,
    truncation: request.truncation ?? "disabled",
    usage: renderUsage(usage),
    user: request.user ?? null,
  };
}
