import { readObject } from "../../canonical/json";
import { readCount, type Usage } from "../../canonical/usage";

/**
 * Counts what is billed. `tokens` is more: it includes what Cohere itself adds to a prompt, and is read only where
 * nothing is billed. Null when it has no counts: usage is then unknown, not zero.
 */
export function readUsage(value: unknown): Usage | null {
  const usage = readObject(value);
  const billed = readCounts(usage.billed_units);
  const counts = billed ?? readCounts(usage.tokens);
  if (!counts) return null;
  return {
    ...counts,
    // They are a part of `tokens`: most of them Cohere's own, which nobody is billed for.
    cachedTokens: billed ? 0 : Math.min(readCount(usage.cached_tokens) ?? 0, counts.promptTokens),
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    audioPromptTokens: 0,
    audioCompletionTokens: 0,
  };
}

function readCounts(value: unknown): Pick<Usage, "promptTokens" | "completionTokens"> | null {
  const counts = readObject(value);
  const promptTokens = readCount(counts.input_tokens);
  const completionTokens = readCount(counts.output_tokens);
  if (promptTokens === null || completionTokens === null) return null;
  return promptTokens + completionTokens === 0 ? null : { promptTokens, completionTokens };
}
