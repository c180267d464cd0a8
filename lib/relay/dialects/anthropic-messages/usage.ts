import { type Json, readObject } from "../../canonical/json";
import { readCount, type Usage } from "../../canonical/usage";

/**
 * Anthropic's usage object. Its input count has neither cache reads nor cache writes in it; canonical prompt tokens have
 * both. Null when it says nothing usable: then usage is unknown, not zero.
 */
export function readUsage(value: unknown): Usage | null {
  const usage = readObject(value);
  const cachedTokens = readCount(usage.cache_read_input_tokens) ?? 0;
  const cacheWriteTokens = readCount(usage.cache_creation_input_tokens) ?? 0;
  const promptTokens = (readCount(usage.input_tokens) ?? 0) + cachedTokens + cacheWriteTokens;
  const completionTokens = readCount(usage.output_tokens) ?? 0;
  if (promptTokens + completionTokens === 0) return null;
  const thinkingTokens = readCount(readObject(usage.output_tokens_details).thinking_tokens) ?? 0;
  return {
    promptTokens,
    completionTokens,
    cachedTokens,
    cacheWriteTokens,
    reasoningTokens: Math.min(thinkingTokens, completionTokens),
    audioPromptTokens: 0,
    audioCompletionTokens: 0,
  };
}

/** What a stream reports at its start and at its end, as one: later counts win unless they are zero. */
export function mergeUsage(before: Json, after: Json): Json {
  const said = Object.entries(after).filter(([, value]) => value !== null && value !== 0);
  return { ...after, ...before, ...Object.fromEntries(said) };
}

/** Unknown counts are null. */
export function renderUsage(usage: Usage | null): Json {
  if (!usage) return { input_tokens: null, output_tokens: null };
  const { promptTokens, completionTokens, cachedTokens, cacheWriteTokens, reasoningTokens } = usage;
  return {
    input_tokens: promptTokens - cachedTokens - cacheWriteTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cachedTokens,
    output_tokens: completionTokens,
    ...(reasoningTokens > 0 ? { output_tokens_details: { thinking_tokens: reasoningTokens } } : {}),
  };
}
