import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { AssistantPart } from "../../canonical/request";
import type { ChatResponse } from "../../canonical/response";
import type { ReadUsage } from "../dialect";
import { readFinishReason } from "./finish-reason";
import { toCanonicalSignature } from "./signature";
import { readUsage as readOwnUsage } from "./usage";

/** Returns null when this is not a response, which has neither an id nor the model's name. Other blocks are dropped. */
export function decodeResponse(json: Json, readUsage: ReadUsage = readOwnUsage): ChatResponse | null {
  const { content } = readObject(readObject(json.output).message);
  if (!Array.isArray(content)) return null;
  const parts = content.flatMap((block) => decodeBlock(readObject(block)));
  const finishReason = readFinishReason(readText(json.stopReason));
  return { id: "", model: "", choices: [{ index: 0, content: parts, finishReason }], usage: readUsage(json.usage) };
}

function decodeBlock({ text, reasoningContent, toolUse, citationsContent }: Json): AssistantPart[] {
  if (typeof text === "string") return text === "" ? [] : [{ type: "text", text }];
  if (reasoningContent !== undefined) return decodeThought(readObject(reasoningContent));
  if (toolUse !== undefined) {
    const { toolUseId, name, input } = readObject(toolUse);
    const values = JSON.stringify(input ?? {});
    return [{ type: "tool-call", id: readText(toolUseId), name: readText(name), arguments: values }];
  }
  const cited = readArray(readObject(citationsContent).content).map((part) => readText(readObject(part).text));
  return cited.flatMap((said) => (said === "" ? [] : [{ type: "text", text: said } as const]));
}

function decodeThought({ reasoningText, redactedContent }: Json): AssistantPart[] {
  if (typeof redactedContent === "string" && redactedContent !== "") {
    return [{ type: "redacted-thinking", data: toCanonicalSignature(redactedContent) }];
  }
  const { text, signature } = readObject(reasoningText);
  const sealed = readText(signature);
  if (sealed === "") return readText(text) === "" ? [] : [{ type: "thinking", text: readText(text) }];
  return [{ type: "thinking", text: readText(text), signature: toCanonicalSignature(sealed) }];
}
