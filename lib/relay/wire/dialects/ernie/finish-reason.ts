import type { FinishReason } from "../../canonical/event";
import { type Json, readText } from "../../canonical/json";

type Unified = FinishReason["unified"];

const UNIFIED: ReadonlyMap<string, Unified> = new Map<string, Unified>([
  ["normal", "stop"],
  ["stop", "stop"],
  ["length", "length"],
  ["content_filter", "content-filter"],
  ["function_call", "tool-calls"],
]);

/** Of a whole answer or of the last event. Not all models give a reason, but all say whether the text was cut. */
export function readFinishReason(json: Json, hasCall: boolean): FinishReason {
  const raw = readText(json.finish_reason) || impliedReason(json, hasCall);
  const unified = UNIFIED.get(raw) ?? "other";
  return { unified: hasCall && unified === "stop" ? "tool-calls" : unified, raw };
}

function impliedReason(json: Json, hasCall: boolean): string {
  if (hasCall) return "function_call";
  if (json.is_truncated === true) return "length";
  return json.need_clear_history === true ? "content_filter" : "normal";
}
