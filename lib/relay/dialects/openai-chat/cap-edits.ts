import type { Json } from "../../canonical/json";
import type { Edits } from "../dialect";
import { readCompletionMax } from "./facts";

/** These refuse max_tokens. */
const TAKES_COMPLETION_TOKENS = /^(o\d|gpt-5)/;

/** Lowers the completion limit per choice to `tokens`, or sets it when the request has none. */
export function capEdits(json: Json, tokens: number, model: string): Edits {
  if (readCompletionMax(json) === null) {
    return { [TAKES_COMPLETION_TOKENS.test(model) ? "max_completion_tokens" : "max_tokens"]: tokens };
  }
  const edits: Edits = {};
  for (const name of ["max_tokens", "max_completion_tokens"]) {
    const given = json[name];
    if (typeof given === "number" && given > tokens) edits[name] = tokens;
  }
  return edits;
}
