import type { BilledUsage } from "@/lib/billing/types";
import { readObject } from "../canonical/json";
import { mediaCounts, readCount, uncachedSound } from "../canonical/usage";

/**
 * What an event reports as used; null = nothing that can be read. Cached sound counts as cached, and is told apart for makers
 * whose price of it differs.
 */
export function readUsage(raw: unknown): BilledUsage | null {
  const usage = readObject(raw);
  const promptTokens = readCount(usage.input_tokens);
  const completionTokens = readCount(usage.output_tokens);
  if (promptTokens === null || completionTokens === null) return null;
  const input = readObject(usage.input_token_details);
  const output = readObject(usage.output_token_details);
  const cachedTokens = Math.min(readCount(input.cached_tokens) ?? 0, promptTokens);
  return {
    promptTokens,
    completionTokens,
    cachedTokens,
    cacheWriteTokens: 0,
    audioPromptTokens: Math.min(uncachedSound(input), promptTokens - cachedTokens),
    audioCompletionTokens: readCount(output.audio_tokens) ?? 0,
    ...mediaCounts(input),
    estimated: false,
  };
}

/** Seconds of sound, where a transcription is charged by them; null = it is not. */
export function readSeconds(raw: unknown): number | null {
  const { type, seconds } = readObject(raw);
  return type === "duration" && typeof seconds === "number" && seconds > 0 && seconds < 1e6 ? seconds : null;
}
