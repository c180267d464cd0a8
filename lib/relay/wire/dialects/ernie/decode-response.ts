import { type Json, readObject, readText } from "../../canonical/json";
import type { AssistantPart } from "../../canonical/request";
import type { ChatResponse } from "../../canonical/response";
import { plainUsage, type Usage } from "../../canonical/usage";
import { inventCallId } from "../common/calls/open-calls";
import type { ReadUsage } from "../dialect";
import { readFinishReason } from "./finish-reason";

/** Null when there are no counts: usage is then unknown, not zero. */
export function readOwnUsage(value: unknown): Usage | null {
  const usage = readObject(value);
  return plainUsage(usage.prompt_tokens, usage.completion_tokens);
}

/** What a model wrote to call a function. It has no id, and there is at most one in an answer. */
export type FunctionCall = { name: string; arguments: string; thoughts: string };

export function readCall(json: Json): FunctionCall | null {
  const { name, arguments: values, thoughts } = readObject(json.function_call);
  const call = { name: readText(name), arguments: readText(values), thoughts: readText(thoughts) };
  return call.name === "" && call.arguments === "" && call.thoughts === "" ? null : call;
}

export function hasAnswer(json: Json): boolean {
  return typeof json.result === "string" || readCall(json) !== null;
}

/** Returns null when this is not an answer. */
export function decodeResponse(json: Json, readUsage: ReadUsage = readOwnUsage): ChatResponse | null {
  if (!hasAnswer(json)) return null;
  const id = readText(json.id);
  const call = readCall(json);
  const content: AssistantPart[] = [];
  if (call && call.thoughts !== "") content.push({ type: "thinking", text: call.thoughts });
  const text = readText(json.result);
  if (text !== "") content.push({ type: "text", text });
  if (call) content.push({ type: "tool-call", id: inventCallId(id, 0, 0), name: call.name, arguments: call.arguments });
  const finishReason = readFinishReason(json, call !== null);
  return { id, model: "", choices: [{ index: 0, content, finishReason }], usage: readUsage(json.usage) };
}
