import { readObject } from "../../canonical/json";
import { readCount, type Usage } from "../../canonical/usage";

/** `question_tokens` is that part of the prompt which the last question takes. Null = no usable counts. */
export function readUsage(value: unknown): Usage | null {
  const usage = readObject(value);
  const promptTokens = readCount(usage.prompt_tokens);
  const completionTokens = readCount(usage.completion_tokens);
  if (promptTokens === null || completionTokens === null || promptTokens === 0) return null;
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
