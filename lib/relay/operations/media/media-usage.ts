import type { BilledUsage } from "@/lib/billing/types";
import type { MeterUsage } from "@/lib/meters";
import { type Json, readObject } from "../../canonical/json";
import { mediaCounts, readCount, type Usage, uncachedSound } from "../../canonical/usage";

/** Usage as OpenAI counts pictures and sound; null = no tokens are reported. */
export function readTokens(value: unknown): Usage | null {
  const usage = readObject(value);
  const { input_tokens: input, prompt_tokens: prompt, output_tokens: output, completion_tokens: completion } = usage;
  const promptTokens = readCount(input ?? prompt) ?? 0;
  const completionTokens = readCount(output ?? completion) ?? 0;
  if (promptTokens + completionTokens === 0) return null;
  const details: Json = readObject(usage.input_token_details ?? usage.input_tokens_details);
  const cachedTokens = Math.min(readCount(details.cached_tokens) ?? 0, promptTokens);
  return {
    promptTokens,
    completionTokens,
    cachedTokens,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    audioPromptTokens: Math.min(uncachedSound(details), promptTokens - cachedTokens),
    audioCompletionTokens: 0,
    ...mediaCounts(details),
  };
}

type Tokens = Pick<BilledUsage, "promptTokens" | "completionTokens">;

/** Counts of our own. */
export function counted(
  { promptTokens, completionTokens }: Tokens,
  meters: readonly MeterUsage[],
  estimated: boolean,
): BilledUsage {
  return {
    promptTokens,
    completionTokens,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    audioPromptTokens: 0,
    audioCompletionTokens: 0,
    ...(meters.length > 0 ? { meters } : {}),
    estimated,
  };
}

export function reported(usage: Usage, meters: readonly MeterUsage[]): BilledUsage {
  const { reasoningTokens: _, webSearches: __, ...counts } = usage;
  return { ...counted(usage, meters, false), ...counts };
}
