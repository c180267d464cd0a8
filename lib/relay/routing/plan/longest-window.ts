import { contextWindow } from "@/lib/billing/context-window";
import type { Tier } from "@/lib/snapshot/store";
import { upstreamModelOf } from "@/lib/snapshot/upstream-model";

/** As long as any that is common, for models of which nothing is known. */
export const WINDOW_MAX = 2_097_152;

/** The longest window among the models that channels have under this name. */
export function longestWindow(model: string, tiers: readonly Tier[]): number {
  const names = new Set(tiers.flat().map((channel) => upstreamModelOf(model, channel, false) ?? model));
  const windows = [...names].map((name) => contextWindow(name) ?? WINDOW_MAX);
  return windows.length === 0 ? (contextWindow(model) ?? WINDOW_MAX) : Math.max(...windows);
}
