import type { Json } from "../../canonical/json";
import type { Edits } from "../dialect";

/** Lowers max_output_tokens to `tokens`, or sets it. */
export function capEdits(_json: Json, tokens: number): Edits {
  return { max_output_tokens: tokens };
}

/** Lowers max_tool_calls to `calls`, or sets it. */
export function callEdits({ max_tool_calls: given }: Json, calls: number): Edits {
  return { max_tool_calls: typeof given === "number" ? Math.min(given, calls) : calls };
}
