import type { FinishReason } from "./finish-reason";
import type { Usage } from "./usage";
import type { WireError } from "./wire-error";

/**
 * What happens in a streamed answer, in any dialect. `choice` counts from 0. Deltas of one kind follow each other without
 * start and end marks: a dialect that needs blocks opens and closes them where the kind, the choice or the tool call changes.
 */
export type ChatEvent =
  /** The first event. */
  | { type: "start"; id: string; model: string }
  | { type: "text-delta"; choice: number; text: string }
  | { type: "refusal-delta"; choice: number; text: string }
  | { type: "thinking-delta"; choice: number; text: string }
  /** Belongs to the thinking before it and ends it. */
  | { type: "thinking-signature"; choice: number; signature: string }
  | { type: "redacted-thinking"; choice: number; data: string }
  /** `index` counts the tool calls of a choice from 0. */
  | { type: "tool-call-start"; choice: number; index: number; id: string; name: string }
  | { type: "tool-call-delta"; choice: number; index: number; arguments: string }
  | { type: "finish"; choice: number; reason: FinishReason }
  /** Replaces what was reported before. */
  | { type: "usage"; usage: Usage }
  | { type: "error"; error: WireError }
  /** The upstream's own mark that the answer is whole. */
  | { type: "end" };
