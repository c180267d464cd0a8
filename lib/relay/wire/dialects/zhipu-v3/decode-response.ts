import type { FinishReason } from "../../canonical/event";
import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { ChatResponse, Choice } from "../../canonical/response";
import { usageWithPrompt } from "../../canonical/usage";
import type { ReadUsage } from "../dialect";

/** `raw`: the status of the task, or what ended the stream. */
export function readFinishReason(raw: string): FinishReason {
  return { unified: raw === "interrupted" ? "content-filter" : "stop", raw };
}

export const DONE = "SUCCESS";

/** Returns null when this is not a response. */
export function decodeResponse(json: Json, readUsage: ReadUsage = usageWithPrompt): ChatResponse | null {
  const data = readObject(json.data);
  const given = readArray(data.choices).map(readObject);
  if (given.length === 0) return null;
  const finishReason = readFinishReason(readText(data.task_status) || DONE);
  const choices = given.map((choice, index): Choice => {
    const text = plainText(readText(choice.content));
    return { index, content: text === "" ? [] : [{ type: "text", text }], finishReason };
  });
  return { id: readText(data.task_id), model: "", choices, usage: readUsage(data.usage) };
}

/** The API sends the text as JSON text within the JSON. */
function plainText(content: string): string {
  if (!content.startsWith('"')) return content;
  try {
    const text: unknown = JSON.parse(content);
    return typeof text === "string" ? text : content;
  } catch {
    return content;
  }
}
