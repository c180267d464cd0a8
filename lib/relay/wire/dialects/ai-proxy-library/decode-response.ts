import { type Json, readText } from "../../canonical/json";
import type { ChatResponse } from "../../canonical/response";
import type { ReadUsage } from "../dialect";
import { documentsText } from "./documents";
import { finishReason } from "./finish-reason";
import { readUsage as readOwnUsage } from "./usage";

export function hasAnswer({ answer }: Json): boolean {
  return typeof answer === "string";
}

/** Null = not an answer. */
export function decodeResponse(json: Json, readUsage: ReadUsage = readOwnUsage): ChatResponse | null {
  if (!hasAnswer(json)) return null;
  const text = `${readText(json.answer)}${documentsText(json.documents)}`;
  return {
    id: "",
    model: readText(json.model),
    choices: [{ index: 0, content: text === "" ? [] : [{ type: "text", text }], finishReason: finishReason() }],
    usage: readUsage(json.usage),
  };
}
