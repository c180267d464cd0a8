import { readObject } from "../../canonical/json";
import { completionWithThoughts, readCount, type Usage } from "../../canonical/usage";

/** Null = no usable counts. */
export function readUsage(value: unknown): Usage | null {
  const usage = readObject(value);
  const promptTokens = readCount(usage.input_count) ?? 0;
  const output = readCount(usage.output_count) ?? 0;
  if (promptTokens + output === 0) return null;
  const cached = readCount(readObject(usage.input_tokens_details).cached_tokens) ?? 0;
  const reasoning = readCount(readObject(usage.output_tokens_details).reasoning_tokens) ?? 0;
  const completionTokens = completionWithThoughts(output, reasoning, null);
  return {
    promptTokens,
    completionTokens,
    cachedTokens: Math.min(cached, promptTokens),
    cacheWriteTokens: 0,
    reasoningTokens: Math.min(reasoning, completionTokens),
    audioPromptTokens: 0,
    audioCompletionTokens: 0,
  };
}
