import { readObject } from "../../canonical/json";
import { readCount, type Usage } from "../../canonical/usage";

/** Reads a TokenUsage, whose input count excludes what was read from the cache or written to it. Null = unknown. */
export function readUsage(value: unknown): Usage | null {
  const usage = readObject(value);
  const cachedTokens = readCount(usage.cacheReadInputTokens) ?? 0;
  const cacheWriteTokens = readCount(usage.cacheWriteInputTokens) ?? 0;
  const promptTokens = (readCount(usage.inputTokens) ?? 0) + cachedTokens + cacheWriteTokens;
  const completionTokens = readCount(usage.outputTokens) ?? 0;
  if (promptTokens + completionTokens === 0) return null;
  return {
    promptTokens,
    completionTokens,
    cachedTokens,
    cacheWriteTokens,
    reasoningTokens: 0,
    audioPromptTokens: 0,
    audioCompletionTokens: 0,
  };
}
