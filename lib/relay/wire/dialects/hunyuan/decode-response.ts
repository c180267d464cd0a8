import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { AssistantPart } from "../../canonical/request";
import type { ChatResponse, Choice } from "../../canonical/response";
import { plainUsage, type Usage } from "../../canonical/usage";
import { inventCallId } from "../common/calls/open-calls";
import type { ReadUsage } from "../dialect";
import { innerOf } from "./error";
import { readFinishReason } from "./finish-reason";

/** Null when there are no counts: usage is then unknown, not zero. */
export function readOwnUsage(value: unknown): Usage | null {
  const usage = readObject(value);
  return plainUsage(usage.PromptTokens, usage.CompletionTokens);
}

export function choicesOf(json: Json): readonly Json[] {
  return readArray(innerOf(json).Choices).map(readObject);
}

export function indexOf(choice: Json, position: number): number {
  return typeof choice.Index === "number" ? choice.Index : position;
}

/** Returns null when this is not an answer. */
export function decodeResponse(json: Json, readUsage: ReadUsage = readOwnUsage): ChatResponse | null {
  const given = choicesOf(json);
  if (given.length === 0) return null;
  const { Id, Usage } = innerOf(json);
  const id = readText(Id);
  const choices = given.map((choice, position) => decodeChoice(choice, indexOf(choice, position), id));
  return { id, model: "", choices, usage: readUsage(Usage) };
}

function decodeChoice(choice: Json, index: number, answerId: string): Choice {
  const { Content, ReasoningContent, ToolCalls } = readObject(choice.Message);
  const content: AssistantPart[] = [];
  if (readText(ReasoningContent) !== "") content.push({ type: "thinking", text: readText(ReasoningContent) });
  if (readText(Content) !== "") content.push({ type: "text", text: readText(Content) });
  readArray(ToolCalls).forEach((value, i) => {
    const call = readObject(value);
    const { Name, Arguments } = readObject(call.Function);
    const id = readText(call.Id) || inventCallId(answerId, index, i);
    content.push({ type: "tool-call", id, name: readText(Name), arguments: readText(Arguments) });
  });
  return { index, content, finishReason: readFinishReason(choice.FinishReason) ?? { unified: "other", raw: "" } };
}
