import { readObject } from "../../canonical/json";
import { readCount, type Usage } from "../../canonical/usage";

/** The usage of all models that the application asked, in `metadata`. Null = no usable counts. */
export function readUsage(value: unknown): Usage | null {
  const usage = readObject(value);
  const promptTokens = readCount(usage.prompt_tokens) ?? 0;
  const completionTokens = readCount(usage.completion_tokens) ?? 0;
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
