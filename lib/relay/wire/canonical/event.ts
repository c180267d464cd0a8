import type { Citation, Search } from "./citation";
import type { Usage } from "./usage";
import type { WireError } from "./wire-error";

/**
 * An event of a streamed response, independent of the dialect. `choice` starts at 0. Deltas of one kind have no start
 * and end marks: a dialect with blocks opens and closes them when the kind, the choice or the tool call changes.
 */
export type ChatEvent =
  | { type: "start"; id: string; model: string }
  /** `logprobs`: of the tokens of this text. */
  | { type: "text-delta"; choice: number; text: string; logprobs?: readonly TokenLogprob[] }
  | { type: "refusal-delta"; choice: number; text: string }
  | { type: "thinking-delta"; choice: number; text: string }
  /** Signs the thinking before it and ends that thinking. */
  | { type: "thinking-signature"; choice: number; signature: string }
  | { type: "redacted-thinking"; choice: number; data: string }
  /** `index` counts the tool calls of a choice from 0. */
  | { type: "tool-call-start"; choice: number; index: number; id: string; name: string }
  | { type: "tool-call-delta"; choice: number; index: number; arguments: string }
  /** Comes after the text that it is about. */
  | { type: "citation"; choice: number; citation: Citation }
  /** Comes when its results are known. */
  | { type: "search"; choice: number; search: Search }
  | { type: "finish"; choice: number; reason: FinishReason }
  /** Replaces any usage reported before. */
  | { type: "usage"; usage: Usage }
  | { type: "error"; error: WireError }
  /** The upstream's own marker that the response is complete. */
  | { type: "end" };

/** Why a model stopped: one value for all dialects, and the upstream's own. */
export type FinishReason = {
  unified: "stop" | "length" | "tool-calls" | "content-filter" | "other";
  raw: string;
};

/** How likely a token was, as a natural logarithm. */
export type TokenLogprob = TokenChance & { alternatives: readonly TokenChance[] };
/** `bytes`: of a token that is not text of its own; absent = those of the text. */
export type TokenChance = { token: string; logprob: number; bytes?: readonly number[] };
