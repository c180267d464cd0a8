import { type Json, readObject } from "../../canonical/json";
import { hasFailed } from "./error";

/** A whole body is an error, or says only that the chat has begun: answers are streams. */
export const wholeBody = {
  hasAnswer: (_json: Json): boolean => false,
  hasFailed: (json: Json): boolean => hasFailed(json, null) || readObject(json.data).status === "failed",
};

export function decodeResponse(): null {
  return null;
}
