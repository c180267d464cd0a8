import { type Json, readObject } from "./json";

/** Token counts of one request, as the upstream reported them. */
export type Usage = {
  /** Includes cached, cache-write and audio tokens. */
  promptTokens: number;
  /** Includes reasoning and audio tokens. */
  completionTokens: number;
  cachedTokens: number;
  cacheWriteTokens: number;
  reasoningTokens: number;
  audioPromptTokens: number;
  audioCompletionTokens: number;
  /** Searches of the web that the upstream charges for; absent = none that it reported. */
  webSearches?: number;
};

/** Larger counts are treated as invalid. */
const COUNT_MAX = 1_000_000_000;

/** A reported count, rounded down; null when it is invalid. */
export function readCount(value: unknown): number | null {
  return typeof value === "number" && value >= 0 && value <= COUNT_MAX ? Math.floor(value) : null;
}

/** Of the details of a prompt as OpenAI writes them: its sound includes that which was cached, and is charged as cached. */
export function uncachedSound(details: Json): number {
  const cached = readCount(readObject(details.cached_tokens_details).audio_tokens) ?? 0;
  return Math.max(0, (readCount(details.audio_tokens) ?? 0) - cached);
}

/**
 * The tokens of a completion with the thoughts that its count leaves out: the total has them, or they are more than the count.
 * `written`: the total without the prompt, null = there is none.
 */
export function completionWithThoughts(completion: number, thoughts: number, written: number | null): number {
  if (written !== null && written > completion && written >= thoughts) return written;
  return thoughts > completion ? completion + thoughts : completion;
}
