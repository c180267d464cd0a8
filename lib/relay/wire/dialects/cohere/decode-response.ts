import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { AssistantPart } from "../../canonical/request";
import type { ChatResponse } from "../../canonical/response";
import type { ReadUsage } from "../dialect";
import { argumentsText } from "../openai-chat/decode-response";
import { readFinishReason } from "./finish-reason";
import { readUsage as readOwnUsage } from "./usage";

/** Returns null when this is not a response. Invalid parts are dropped. */
export function decodeResponse(json: Json, readUsage: ReadUsage = readOwnUsage): ChatResponse | null {
  if (typeof json.message !== "object" || json.message === null) return null;
  const finishReason = readFinishReason(readText(json.finish_reason));
  const choice = { index: 0, content: decodeMessage(readObject(json.message)), finishReason };
  return { id: readText(json.id), model: "", choices: [choice], usage: readUsage(json.usage) };
}

function decodeMessage(message: Json): AssistantPart[] {
  const content: AssistantPart[] = [];
  if (typeof message.content === "string") addText(content, "text", message.content);
  for (const value of readArray(message.content)) {
    const item = readObject(value);
    addText(content, "thinking", readText(item.thinking));
    addText(content, "text", readText(item.text));
  }
  addText(content, "text", readText(message.tool_plan));
  for (const value of readArray(message.tool_calls)) {
    const call = readObject(value);
    const { name, arguments: given } = readObject(call.function);
    content.push({
      type: "tool-call",
      id: readText(call.id),
      name: readText(name),
      arguments: argumentsText(given),
    });
  }
  return content;
}

function addText(content: AssistantPart[], type: "text" | "thinking", text: string): void {
  if (text === "") return;
  const last = content.at(-1);
  if (last?.type === type) last.text += text;
  else content.push({ type, text });
}
