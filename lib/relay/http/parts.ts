import { toQuota } from "@/lib/billing/quota";
import { type BilledUsage, type Charge, NO_USAGE, type PriceRow } from "@/lib/billing/types";

/** What one model wrote of an answer that several wrote, and what it is charged for it. The prompt is the first one's. */
export type Part = { model: string; price: PriceRow; usage: BilledUsage; charge: Charge };

const sumOf = (parts: readonly Part[], numberOf: (part: Part) => number): number =>
  parts.reduce((sum, part) => sum + numberOf(part), 0);

/** What the last model wrote, out of the usage of the whole answer. */
export function lastPart(whole: BilledUsage, earlier: readonly Part[]): BilledUsage {
  const completionTokens = Math.max(0, whole.completionTokens - sumOf(earlier, ({ usage }) => usage.completionTokens));
  return { ...NO_USAGE, completionTokens, estimated: true, ...(whole.rejected ? { rejected: whole.rejected } : {}) };
}

export function usageOfParts(earlier: readonly Part[], last: BilledUsage): BilledUsage {
  const [first] = earlier;
  if (!first) return last;
  const completionTokens = last.completionTokens + sumOf(earlier, ({ usage }) => usage.completionTokens);
  return { ...last, ...first.usage, completionTokens, estimated: true };
}

export function chargeOfParts(earlier: readonly Part[], last: Charge): Charge {
  const lines = earlier.flatMap(({ model, charge }) => charge.lines.map((line) => ({ ...line, model })));
  const unpriced = [...earlier.flatMap(({ charge }) => charge.unpriced ?? []), ...(last.unpriced ?? [])];
  return {
    quota: toQuota(last.quota + sumOf(earlier, ({ charge }) => charge.quota)),
    lines: [...lines, ...last.lines],
    ...(unpriced.length > 0 ? { unpriced } : {}),
  };
}

/** The ratios of a price that only some models have, as log rows have them (contract §5.8). */
export function describeMediaRatios({
  audioCacheRatio,
  imageRatio,
  imageCacheRatio,
}: PriceRow): Record<string, number> {
  return {
    ...(audioCacheRatio === undefined ? {} : { audio_cache_ratio: audioCacheRatio }),
    ...(imageRatio === undefined ? {} : { image_ratio: imageRatio }),
    ...(imageCacheRatio === undefined ? {} : { image_cache_ratio: imageCacheRatio }),
  };
}

/** As the log row has them. */
export function describeParts(parts: readonly Part[]): Record<string, unknown>[] {
  return parts.map(({ model, price, usage, charge }) => ({
    model,
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    model_ratio: price.modelRatio,
    completion_ratio: price.completionRatio,
    cache_ratio: price.cacheRatio,
    audio_ratio: price.audioRatio,
    audio_completion_ratio: price.audioCompletionRatio,
    ...describeMediaRatios(price),
    model_price: price.modelPrice ?? -1,
    quota: charge.quota,
  }));
}

/** What earlier models wrote and cost; null = nothing. */
export function sumOfParts(earlier: readonly Part[] | undefined): { quota: number; completionTokens: number } {
  const parts = earlier ?? [];
  return {
    quota: sumOf(parts, ({ charge }) => charge.quota),
    completionTokens: sumOf(parts, ({ usage }) => usage.completionTokens),
  };
}
