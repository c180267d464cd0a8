import { readObject } from "../../canonical/json";
import { readCount, type Usage } from "../../canonical/usage";

/** Null when there are no counts: usage is then unknown, not zero. */
export function readUsage(value: unknown): Usage | null {
  const usage = readObject(value);
  const promptTokens = readCount(usage.PromptTokens) ?? 0;
  const completionTokens = readCount(usage.CompletionTokens) ?? 0;
  if (promptTokens + completionTokens === 0) return null;
  return {
    promptTokens,
    completionTokens,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    audioPromptTokens: 0,
    audioCompletionTokens: 0,
  };
}
