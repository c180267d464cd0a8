import type { FinishReason } from "../../canonical/event";
import { readText } from "../../canonical/json";

type Unified = FinishReason["unified"];

const UNIFIED: ReadonlyMap<string, Unified> = new Map<string, Unified>([
  ["stop", "stop"],
  ["length", "length"],
  ["tool_calls", "tool-calls"],
  ["content_filter", "content-filter"],
]);

/** Null = the answer goes on: the provider says so with the word null. */
export function readFinishReason(value: unknown): FinishReason | null {
  const raw = readText(value);
  if (raw === "" || raw === "null") return null;
  return { unified: UNIFIED.get(raw) ?? "other", raw };
}
