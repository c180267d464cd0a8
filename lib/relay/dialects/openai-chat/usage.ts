import { type Json, readObject } from "../../canonical/json";
import { mediaCounts, readCount, type Usage, uncachedSound } from "../../canonical/usage";

/**
 * Reads the usage object of an OpenAI-format response. Its prompt count includes cached and audio tokens, its
 * completion count audio and reasoning tokens. Null when it has no counts: usage is then unknown, not zero.
 */
export function readUsage(value: unknown): Usage | null {
  const usage = readObject(value);
  const promptTokens = readCount(usage.prompt_tokens) ?? 0;
  const completionTokens = readCount(usage.completion_tokens) ?? 0;
  if (promptTokens + completionTokens === 0) return null;
  const promptDetails = readObject(usage.prompt_tokens_details);
  const completionDetails = readObject(usage.completion_tokens_details);
  const cached = readCount(promptDetails.cached_tokens) ?? readCount(usage.prompt_cache_hit_tokens) ?? 0;
  const cachedTokens = Math.min(cached, promptTokens);
  const audio = uncachedSound(promptDetails);
  const cacheWriteTokens = Math.min(readCount(promptDetails.cache_write_tokens) ?? 0, promptTokens - cachedTokens);
  return {
    promptTokens,
    completionTokens,
    cachedTokens,
    cacheWriteTokens,
    reasoningTokens: Math.min(readCount(completionDetails.reasoning_tokens) ?? 0, completionTokens),
    audioPromptTokens: Math.min(audio, promptTokens - cachedTokens - cacheWriteTokens),
    audioCompletionTokens: Math.min(readCount(completionDetails.audio_tokens) ?? 0, completionTokens),
    ...mediaCounts(promptDetails),
    ...webSearchesOf(usage),
  };
}

/** As Perplexity and OpenRouter count them. */
function webSearchesOf({ num_search_queries: queries, server_tool_use: tools }: Json): { webSearches?: number } {
  const webSearches = readCount(queries) ?? readCount(readObject(tools).web_search_requests) ?? 0;
  return webSearches > 0 ? { webSearches } : {};
}

/** For upstreams that include reasoning only in the total: completion = total − prompt. */
export function completionFromTotal(raw: Readonly<Json>, usage: Usage): Usage {
  const total = readCount(raw.total_tokens);
  if (total === null) return usage;
  const completionTokens = Math.max(0, total - usage.promptTokens);
  // The Responses API has the same counts under other names.
  const details = readObject(raw.completion_tokens_details ?? raw.output_tokens_details);
  return {
    ...usage,
    completionTokens,
    reasoningTokens: Math.min(readCount(details.reasoning_tokens) ?? 0, completionTokens),
    audioCompletionTokens: Math.min(readCount(details.audio_tokens) ?? 0, completionTokens),
  };
}

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
