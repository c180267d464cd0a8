import { type MeterUsage, quantityOf } from "@/lib/meters";
import type { BilledUsage, RejectedUsage } from "./types";

/** The most that a request can have caused. */
export type UsageBound = { promptTokens: number; completionTokens: number };

/**
 * Reported usage up to the bound: the usage itself where it is within, else with each kind of token lowered in proportion, and
 * with what was reported. What the upstream bills is the reported usage all the same.
 */
export function boundUsage(reported: BilledUsage, bound: UsageBound): BilledUsage {
  const promptTokens = Math.min(reported.promptTokens, bound.promptTokens);
  const completionTokens = Math.min(reported.completionTokens, bound.completionTokens);
  if (promptTokens === reported.promptTokens && completionTokens === reported.completionTokens) return reported;
  const ofPrompt = (tokens: number): number => part(tokens, promptTokens, reported.promptTokens);
  const { audioCompletionTokens, imagePromptTokens, cachedAudioTokens, cachedImageTokens } = reported;
  return {
    ...reported,
    ...(imagePromptTokens ? { imagePromptTokens: ofPrompt(imagePromptTokens) } : {}),
    ...(cachedAudioTokens ? { cachedAudioTokens: ofPrompt(cachedAudioTokens) } : {}),
    ...(cachedImageTokens ? { cachedImageTokens: ofPrompt(cachedImageTokens) } : {}),
    promptTokens,
    completionTokens,
    cachedTokens: ofPrompt(reported.cachedTokens),
    cacheWriteTokens: ofPrompt(reported.cacheWriteTokens),
    audioPromptTokens: ofPrompt(reported.audioPromptTokens),
    audioCompletionTokens: part(audioCompletionTokens, completionTokens, reported.completionTokens),
    estimated: true,
    rejected: rejectedUsage(reported, bound),
  };
}

/** The same for what is counted beside tokens: each meter up to the most that the request can have used of it. */
export function boundMeters(usage: BilledUsage, most: readonly MeterUsage[], tokens: UsageBound): BilledUsage {
  const { meters } = usage;
  const within = meters?.map((one) => boundMeter(one, most));
  if (!meters || !within || within.every((one, at) => one === meters[at])) return usage;
  const reported = usage.rejected?.reported ?? usage;
  return { ...usage, meters: within, estimated: true, rejected: { ...rejectedUsage(reported, tokens), meters } };
}

/** A meter that the request cannot have used stays 0. */
export function boundMeter(reported: MeterUsage, most: readonly MeterUsage[]): MeterUsage {
  const bound = most.reduce((sum, one) => sum + (one.meter === reported.meter ? quantityOf(one) : 0), 0);
  return reported.quantity <= bound ? reported : { ...reported, quantity: bound };
}

export function rejectedUsage(reported: BilledUsage, bound: UsageBound): RejectedUsage {
  return {
    reported,
    promptTokens: reported.promptTokens,
    completionTokens: reported.completionTokens,
    promptTokensMax: bound.promptTokens,
    completionTokensMax: bound.completionTokens,
  };
}

function part(tokens: number, bounded: number, all: number): number {
  return bounded === all ? tokens : Math.floor((tokens * bounded) / all);
}

/** What the upstream bills: what it reported, whatever the caller is charged for. */
export function costedUsage(usage: BilledUsage): BilledUsage {
  return usage.rejected?.reported ?? usage;
}

/** As a log row has it. */
export function describeRejected(rejected: RejectedUsage): Record<string, unknown> {
  return {
    prompt_tokens: rejected.promptTokens,
    completion_tokens: rejected.completionTokens,
    prompt_tokens_max: rejected.promptTokensMax,
    completion_tokens_max: rejected.completionTokensMax,
    ...(rejected.meters ? { meters: rejected.meters } : {}),
  };
}
