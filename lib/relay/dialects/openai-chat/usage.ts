import { type Json, readObject } from "../../canonical/json";
import { readCount, type Usage } from "../../canonical/usage";

/**
 * The usage object of an OpenAI-format answer. Its prompt count includes cached and audio tokens, its completion count
 * audio and reasoning tokens. Null when it says nothing usable: then usage is unknown, not zero.
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
  const audio = readCount(promptDetails.audio_tokens) ?? 0;
  return {
    promptTokens,
    completionTokens,
    cachedTokens,
    cacheWriteTokens: 0,
    reasoningTokens: Math.min(readCount(completionDetails.reasoning_tokens) ?? 0, completionTokens),
    audioPromptTokens: Math.min(audio, promptTokens - cachedTokens),
    audioCompletionTokens: Math.min(readCount(completionDetails.audio_tokens) ?? 0, completionTokens),
  };
}

/** For upstreams that count reasoning in the total only: what is not prompt is completion. */
export function completionFromTotal(raw: Readonly<Json>, usage: Usage): Usage {
  const total = readCount(raw.total_tokens);
  if (total === null) return usage;
  const completionTokens = Math.max(0, total - usage.promptTokens);
  const details = readObject(raw.completion_tokens_details);
  return {
    ...usage,
    completionTokens,
    reasoningTokens: Math.min(readCount(details.reasoning_tokens) ?? 0, completionTokens),
    audioCompletionTokens: Math.min(readCount(details.audio_tokens) ?? 0, completionTokens),
  };
}
