import type { FinishReason } from "../../canonical/finish-reason";
import { readText } from "../../canonical/json";

type Unified = FinishReason["unified"];

const UNIFIED: ReadonlyMap<string, Unified> = new Map<string, Unified>([
  ["stop", "stop"],
  ["length", "length"],
  ["tool_calls", "tool-calls"],
  ["content_filter", "content-filter"],
]);

/** Null = the answer goes on: the provider says so with the word null. Some answers with calls say stop. */
export function readFinishReason(value: unknown, hasCalls: boolean): FinishReason | null {
  const raw = readText(value);
  if (raw === "" || raw === "null") return null;
  const unified = UNIFIED.get(raw) ?? "other";
  return { unified: hasCalls && unified === "stop" ? "tool-calls" : unified, raw };
}
