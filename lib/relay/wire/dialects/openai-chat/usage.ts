import type { Json } from "../../canonical/json";
import type { Usage } from "../../canonical/usage";

export { readOpenaiUsage as readUsage } from "../common/openai/openai-usage";

/** Usage as OpenAI reports it, plus OpenRouter's `cache_write_tokens`, which OpenAI does not have. */
export function renderUsage(usage: Usage): Json {
  const { promptTokens, completionTokens, cachedTokens, cacheWriteTokens } = usage;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: {
      cached_tokens: cachedTokens,
      audio_tokens: usage.audioPromptTokens,
      ...(cacheWriteTokens > 0 ? { cache_write_tokens: cacheWriteTokens } : {}),
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoningTokens,
      audio_tokens: usage.audioCompletionTokens,
    },
  };
}
