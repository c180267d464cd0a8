import type { Json } from "../../canonical/json";
import type { Usage } from "../../canonical/usage";

/** Its counts are those of a chat completion under other names. */
export { readOpenaiUsage as readUsage } from "../common/openai/openai-usage";

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
