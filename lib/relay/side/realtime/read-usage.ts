import type { BilledUsage } from "@/lib/billing/types";
import { readObject } from "../../wire/canonical/json";
import { readOpenaiUsage } from "../../wire/dialects/common/openai/openai-usage";

/** What an event reports as used; null = nothing that can be true: whatever is read or heard has tokens. */
export function readUsage(raw: unknown): BilledUsage | null {
  const usage = readOpenaiUsage(raw);
  if (!usage || usage.promptTokens === 0) return null;
  const { reasoningTokens: _, webSearches: __, ...counts } = usage;
  return { ...counts, estimated: false };
}

/** Seconds of sound, where a transcription is charged by them; null = it is not. */
export function readSeconds(raw: unknown): number | null {
  const { type, seconds } = readObject(raw);
  return type === "duration" && typeof seconds === "number" && seconds > 0 && seconds < 1e6 ? seconds : null;
}
