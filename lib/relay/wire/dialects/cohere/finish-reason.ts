import type { FinishReason } from "../../canonical/event";

const UNIFIED: ReadonlyMap<string, FinishReason["unified"]> = new Map<string, FinishReason["unified"]>([
  ["COMPLETE", "stop"],
  ["STOP_SEQUENCE", "stop"],
  ["MAX_TOKENS", "length"],
  ["TOOL_CALL", "tool-calls"],
  ["ERROR_TOXIC", "content-filter"],
]);

export function readFinishReason(raw: string): FinishReason {
  return { unified: UNIFIED.get(raw) ?? "other", raw };
}

/** The answer broke off for a fault of the upstream. */
export function isFailure(raw: unknown): boolean {
  return raw === "ERROR" || raw === "TIMEOUT" || raw === "ERROR_LIMIT";
}
