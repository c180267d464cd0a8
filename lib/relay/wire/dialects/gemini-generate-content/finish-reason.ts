import type { FinishReason } from "../../canonical/event";
import { type Json, readText } from "../../canonical/json";

type Unified = FinishReason["unified"];

const UNIFIED: ReadonlyMap<string, Unified> = new Map<string, Unified>([
  ["STOP", "stop"],
  ["MAX_TOKENS", "length"],
  ["CONTINUATION", "length"],
  ...[
    ...["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR"],
    ...["IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"],
  ].map((word): [string, Unified] => [word, "content-filter"]),
]);

const WORD: Readonly<Record<Unified, string>> = {
  stop: "STOP",
  length: "MAX_TOKENS",
  "tool-calls": "STOP",
  "content-filter": "SAFETY",
  // OTHER says that an answer has failed, and this one is whole: readers would ask again.
  other: "STOP",
};

export function readFinishReason(raw: string): FinishReason {
  return { unified: UNIFIED.get(raw) ?? "other", raw };
}

/** Google has no word of its own for an answer that ends with calls. */
export function finishReasonOf(raw: string, hasCalls: boolean): FinishReason {
  const reason = readFinishReason(raw);
  return hasCalls && reason.unified === "stop" ? { unified: "tool-calls", raw } : reason;
}

/** Keeps the raw value when it is one of Google's own. */
export function renderFinishReason({ unified, raw }: FinishReason): string {
  return UNIFIED.get(raw) === unified ? raw : WORD[unified];
}

/** Why a candidate ended; "" = it goes on. */
export function finishWordOf({ finishReason }: Json): string {
  return finishReason === "FINISH_REASON_UNSPECIFIED" ? "" : readText(finishReason);
}
