import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { AssistantPart } from "../../canonical/request";
import type { ChatResponse, Choice } from "../../canonical/response";
import { inventCallId } from "../common/calls/open-calls";
import type { ReadUsage } from "../dialect";
import { argumentsText, choicesOf, contentText, indexOf } from "./content";
import { readFinishReason } from "./finish-reason";
import { readUsage as readOwnUsage } from "./usage";

/** Returns null when this is not an answer. */
export function decodeResponse(json: Json, readUsage: ReadUsage = readOwnUsage): ChatResponse | null {
  const given = choicesOf(json);
  if (given.length === 0) return null;
  const id = readText(json.request_id);
  const choices = given.map((choice, position) => decodeChoice(choice, indexOf(choice, position), id));
  return { id, model: "", choices, usage: readUsage(json.usage) };
}

function decodeChoice(choice: Json, index: number, answerId: string): Choice {
  const message = readObject(choice.message);
  const content: AssistantPart[] = [];
  const thinking = readText(message.reasoning_content);
  if (thinking !== "") content.push({ type: "thinking", text: thinking });
  const text = contentText(message.content);
  if (text !== "") content.push({ type: "text", text });
  const calls = readArray(message.tool_calls).map(readObject);
  calls.forEach((call, i) => {
    const { name, arguments: values } = readObject(call.function);
    const id = readText(call.id) || inventCallId(answerId, index, i);
    content.push({ type: "tool-call", id, name: readText(name), arguments: argumentsText(values) });
  });
  const finishReason = readFinishReason(choice.finish_reason) ?? { unified: "other", raw: "" };
  return { index, content, finishReason };
}
