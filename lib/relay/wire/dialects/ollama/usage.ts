import { readObject } from "../../canonical/json";
import { readCount, type Usage } from "../../canonical/usage";

/**
 * Reads the counts of an answer's end. Null when one of them is missing, as in older versions for a prompt that was
 * cached: usage is then unknown, not zero.
 */
export function readUsage(value: unknown): Usage | null {
  const end = readObject(value);
  const promptTokens = readCount(end.prompt_eval_count);
  const completionTokens = readCount(end.eval_count);
  if (promptTokens === null || completionTokens === null || promptTokens + completionTokens === 0) return null;
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
