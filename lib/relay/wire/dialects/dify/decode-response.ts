import type { FinishReason } from "../../canonical/event";
import { type Json, readObject, readText } from "../../canonical/json";
import type { ChatResponse } from "../../canonical/response";
import { plainUsage, type Usage } from "../../canonical/usage";
import type { ReadUsage } from "../dialect";

/** The usage of all models that the application asked, in `metadata`. Null = no usable counts. */
export function readOwnUsage(value: unknown): Usage | null {
  const usage = readObject(value);
  return plainUsage(usage.prompt_tokens, usage.completion_tokens);
}

/** The format has no reasons: an answer ends, or moderation puts another one in its place. */
export function finishReason(isReplaced: boolean): FinishReason {
  return isReplaced ? { unified: "content-filter", raw: "message_replace" } : { unified: "stop", raw: "message_end" };
}

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
