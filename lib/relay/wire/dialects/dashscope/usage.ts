import { readObject } from "../../canonical/json";
import { completionWithThoughts, mediaCounts, readCount, type Usage } from "../../canonical/usage";

/**
 * Cached tokens, pictures and thoughts are in the counts of input and output. Sound is, too, but not in the oldest answers of
 * Qwen-Audio. Null when there are no counts.
 */
export function readUsage(value: unknown): Usage | null {
  const usage = readObject(value);
  const input = readCount(usage.input_tokens) ?? 0;
  const output = readCount(usage.output_tokens) ?? 0;
  const details = readObject(usage.input_tokens_details);
  const audio = readCount(details.audio_tokens) ?? readCount(usage.audio_tokens) ?? 0;
  const promptTokens = audio > input ? input + audio : input;
  if (promptTokens + output === 0) return null;
  const cache = readObject(usage.prompt_tokens_details);
  const cachedTokens = Math.min(readCount(cache.cached_tokens) ?? 0, promptTokens);
  const written = readCount(cache.cache_creation_input_tokens) ?? 0;
  const cacheWriteTokens = Math.min(written, promptTokens - cachedTokens);
  const reasoning = readCount(readObject(usage.output_tokens_details).reasoning_tokens) ?? 0;
  const completionTokens = completionWithThoughts(output, reasoning, null);
  return {
    promptTokens,
    completionTokens,
    cachedTokens,
    cacheWriteTokens,
    reasoningTokens: Math.min(reasoning, completionTokens),
    audioPromptTokens: Math.min(audio, promptTokens - cachedTokens - cacheWriteTokens),
    audioCompletionTokens: 0,
    ...mediaCounts(details),
  };
}
