import { type Json, readObject } from "../../canonical/json";
import type { Edits } from "../dialect";
import { BUDGET_MIN } from "./thinking";

/** Lowers max_tokens to `tokens`, and a thinking budget that no longer fits below it. */
export function capEdits(json: Json, tokens: number): Edits {
  const { budget_tokens: budget } = readObject(json.thinking);
  const edits: Edits = { max_tokens: tokens };
  if (typeof budget !== "number" || budget < tokens) return edits;
  if (tokens <= BUDGET_MIN) return { ...edits, thinking: undefined };
  return { ...edits, thinking: { ...readObject(json.thinking), budget_tokens: tokens - 1 } };
}
