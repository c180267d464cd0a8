import type { FinishReason } from "../../canonical/event";
import { readText } from "../../canonical/json";

type Unified = FinishReason["unified"];

const UNIFIED: ReadonlyMap<string, Unified> = new Map<string, Unified>([
  ["stop", "stop"],
  ["length", "length"],
  ["tool_calls", "tool-calls"],
  ["sensitive", "content-filter"],
]);

/** Null = the answer goes on. */
export function readFinishReason(value: unknown): FinishReason | null {
  const raw = readText(value);
  return raw === "" ? null : { unified: UNIFIED.get(raw) ?? "other", raw };
}
