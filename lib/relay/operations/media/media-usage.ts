import type { BilledUsage } from "@/lib/billing/types";
import type { MeterUsage } from "@/lib/meters";
import type { Usage } from "../../wire/canonical/usage";

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
