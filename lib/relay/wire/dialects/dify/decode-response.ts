import { type Json, readObject, readText } from "../../canonical/json";
import type { ChatResponse } from "../../canonical/response";
import type { ReadUsage } from "../dialect";
import { finishReason } from "./finish-reason";
import { readUsage as readOwnUsage } from "./usage";

export function hasAnswer({ answer }: Json): boolean {
  return typeof answer === "string";
}

/** An answer in one piece, for upstreams that give it although a stream was asked for. Null = not an answer. */
export function decodeResponse(json: Json, readUsage: ReadUsage = readOwnUsage): ChatResponse | null {
  if (!hasAnswer(json)) return null;
  const text = readText(json.answer);
  return {
    id: readText(json.message_id),
    model: "",
    choices: [{ index: 0, content: text === "" ? [] : [{ type: "text", text }], finishReason: finishReason(false) }],
    usage: readUsage(readObject(json.metadata).usage),
  };
}
