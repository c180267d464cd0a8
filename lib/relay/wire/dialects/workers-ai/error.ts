import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { WireError } from "../../canonical/wire-error";
import { isFilled } from "../common/reported-error";
import { hasFailed as hasFailedLikeOpenai } from "../openai-chat/error";

/** Whether an event, or a body that came with a success status, reports a failure. */
export function hasFailed(json: Json, event: string | null): boolean {
  if (json.success === false || isFilled(json.errors)) return true;
  // What an answer consists of is not an error, whatever else there is.
  const isAnswer = json.response !== undefined || json.tool_calls !== undefined || json.result !== undefined;
  return hasFailedLikeOpenai(isAnswer ? { error: json.error, type: json.type } : json, event);
}

export function readError(json: Json): WireError {
  const [first] = readArray(json.errors).map(readObject);
  const { message, code } = first ?? readObject(json.error);
  const words = [message, json.error, json.message].map(readText);
  return {
    message: words.find((text) => text !== "") ?? "the upstream failed",
    type: "upstream_error",
    param: null,
    code: typeof code === "number" ? code : readText(code) || null,
  };
}
