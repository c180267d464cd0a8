import type { FinishReason } from "../../canonical/event";
import { type Json, readArray, readObject, readText } from "../../canonical/json";

type Unified = FinishReason["unified"];

/** Statuses of a response, and reasons why one is incomplete. */
const UNIFIED: ReadonlyMap<string, Unified> = new Map<string, Unified>([
  ["completed", "stop"],
  ["incomplete", "length"],
  ["max_output_tokens", "length"],
  ["max_tokens", "length"],
  ["content_filter", "content-filter"],
]);

export const CALL_TYPES: ReadonlySet<unknown> = new Set(["function_call", "custom_tool_call"]);

export function readFinishReason(raw: string): FinishReason {
  return { unified: UNIFIED.get(raw) ?? "other", raw };
}

/**
 * Why a response ended. `status`: for one that does not say its own. `hasCalls`: a call has been seen in its stream.
 */
export function finishReasonOf(response: Json, status = "", hasCalls = false): FinishReason {
  const given = readText(response.status) || status;
  if (given === "incomplete") {
    return readFinishReason(readText(readObject(response.incomplete_details).reason) || given);
  }
  const calls = hasCalls || readArray(response.output).some((item) => CALL_TYPES.has(readObject(item).type));
  return given === "completed" && calls ? { unified: "tool-calls", raw: given } : readFinishReason(given);
}

/** Why an answer is not complete; null = it is. */
export function incompleteReason({ unified }: FinishReason): "max_output_tokens" | "content_filter" | null {
  if (unified === "length") return "max_output_tokens";
  return unified === "content-filter" ? "content_filter" : null;
}
