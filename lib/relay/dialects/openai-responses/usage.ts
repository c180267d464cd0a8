import { type Json, readObject } from "../../canonical/json";
import { mediaCounts, readCount, type Usage, uncachedSound } from "../../canonical/usage";

/**
 * Reads the usage of a response. Its input count includes cached tokens and cache writes, its output count reasoning.
 * Null when it has no counts: usage is then unknown, not zero.
 */
export function readUsage(value: unknown): Usage | null {
  const usage = readObject(value);
  const promptTokens = readCount(usage.input_tokens) ?? 0;
  const completionTokens = readCount(usage.output_tokens) ?? 0;
  if (promptTokens + completionTokens === 0) return null;
  const input = readObject(usage.input_tokens_details);
  const output = readObject(usage.output_tokens_details);
  const cachedTokens = Math.min(readCount(input.cached_tokens) ?? 0, promptTokens);
  const cacheWriteTokens = Math.min(readCount(input.cache_write_tokens) ?? 0, promptTokens - cachedTokens);
  const uncached = promptTokens - cachedTokens - cacheWriteTokens;
  return {
    promptTokens,
    completionTokens,
    cachedTokens,
    cacheWriteTokens,
    reasoningTokens: Math.min(readCount(output.reasoning_tokens) ?? 0, completionTokens),
    audioPromptTokens: Math.min(uncachedSound(input), uncached),
    audioCompletionTokens: Math.min(readCount(output.audio_tokens) ?? 0, completionTokens),
    ...mediaCounts(input),
  };
}

export function withSearches(usage: Usage | null, webSearches: number): Usage | null {
  return usage && webSearches > 0 ? { ...usage, webSearches } : usage;
}

/** Null = unknown usage. Sound is not counted apart in this format. */
export function renderUsage(usage: Usage | null): Json | null {
  if (!usage) return null;
  const { promptTokens, completionTokens, cachedTokens, cacheWriteTokens, reasoningTokens } = usage;
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: cacheWriteTokens },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: promptTokens + completionTokens,
  };
}
