/** Token counts of one request as an upstream reported them. */
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
};

/** A larger count is not believed. */
const COUNT_MAX = 1_000_000_000;

/** A reported count; null when it is none. */
export function readCount(value: unknown): number | null {
  return typeof value === "number" && value >= 0 && value <= COUNT_MAX ? Math.floor(value) : null;
}
