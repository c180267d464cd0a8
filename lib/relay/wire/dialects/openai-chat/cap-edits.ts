import type { Rules } from "../../../../model-rules/schema";
import type { Json } from "../../canonical/json";
import type { Edits } from "../dialect";
import { readCompletionMax } from "./facts";

/** Lowers the completion limit per choice to `tokens`, or sets it when the request has none. */
export function capEdits(json: Json, tokens: number, { limit = "max_tokens" }: Rules): Edits {
  if (readCompletionMax(json) === null) return { [limit]: tokens };
  const edits: Edits = {};
  for (const name of ["max_tokens", "max_completion_tokens"]) {
    const given = json[name];
    if (typeof given === "number" && given > tokens) edits[name] = tokens;
  }
  return edits;
}
