import type { Json } from "../../canonical/json";
import type { Edits } from "../dialect";

/** Lowers max_output_tokens to `tokens`, or sets it. */
export function capEdits(_json: Json, tokens: number): Edits {
  return { max_output_tokens: tokens };
}
