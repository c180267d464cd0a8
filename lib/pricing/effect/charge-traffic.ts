import { type CostTerms, costUsage, resolveCost } from "@/lib/billing/cost";
import { priceUsage, resolvePrice } from "@/lib/billing/price";
import { type BilledUsage, type Charge, NO_USAGE, type PriceOptions, type PriceRow } from "@/lib/billing/types";
import type { Traffic } from "./types";

/** A charge takes at most 2^31 tokens of a kind; a week of a busy model has more. */
const TOKENS_AT_ONCE = 1_000_000_000;
/** What upstreams take of their usual price for a batch. */
const UPSTREAM_BATCH_RATIO = 0.5;

type Reckon = (usage: BilledUsage) => Charge;

/**
 * What requests cost at a price, by the relay's own function: each of them where their usage has meters or the price is by
 * call, and their tokens together where the price is linear in them. Together they are rounded once, so that the sum
 * differs from that of single charges by at most half a quota a request. Null = part of the usage has no price. Pure.
 */
export function chargeTraffic(traffic: Traffic, price: PriceRow): number | null {
  const sum = sumOf(traffic, price, (usage) => priceUsage(usage, price));
  // No request that is not free costs less than 1.
  return sum === null || sum === 0 ? sum : Math.max(sum, traffic.requests);
}

/** What a channel's upstream takes for requests; `cost` null = unknown. `followsPrices`: a factor of the list price. Pure. */
export function costTraffic(
  traffic: Traffic,
  names: readonly string[],
  terms: CostTerms,
  options: PriceOptions,
): { cost: number | null; followsPrices: boolean } {
  const row = resolveCost(names, terms, options);
  if (!row) return { cost: null, followsPrices: false };
  const sum = sumOf(traffic, row.price, (usage) => costUsage(usage, row));
  const cost = sum === null ? null : traffic.batchRatio === null ? sum : sum * UPSTREAM_BATCH_RATIO;
  return { cost, followsPrices: row.factor !== null && row.factor > 0 };
}

/** Remembers the price rows of one set of options. */
export function priceFinder(options: PriceOptions): (model: string, ratio: number) => PriceRow | null {
  const known = new Map<string, PriceRow | null>();
  return (model, ratio) => {
    const key = `${ratio}\n${model}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const row = resolvePrice(model, ratio, options);
    known.set(key, row);
    return row;
  };
}

function sumOf({ usage, requests, isEach }: Traffic, price: PriceRow, reckon: Reckon): number | null {
  if (isEach) return times(reckon(usage), requests);
  if (price.modelPrice !== null) return times(reckon(ONE_CALL), requests);
  const most = Math.max(usage.promptTokens, usage.completionTokens);
  const parts = Math.ceil(most / TOKENS_AT_ONCE);
  if (parts <= 1) return times(reckon(usage), 1);
  const part = mapTokens(usage, (tokens) => Math.floor(tokens / parts));
  const rest = mapTokens(usage, (tokens) => tokens % parts);
  const [all, left] = [times(reckon(part), parts), times(reckon(rest), 1)];
  return all === null || left === null ? null : all + left;
}

/** Any usage: a price by call does not depend on it. */
const ONE_CALL: BilledUsage = { ...NO_USAGE, promptTokens: 1 };

function times({ quota, unpriced }: Charge, factor: number): number | null {
  return unpriced ? null : quota * factor;
}

function mapTokens(usage: BilledUsage, to: (tokens: number) => number): BilledUsage {
  return {
    promptTokens: to(usage.promptTokens),
    completionTokens: to(usage.completionTokens),
    cachedTokens: to(usage.cachedTokens),
    cacheWriteTokens: to(usage.cacheWriteTokens),
    audioPromptTokens: to(usage.audioPromptTokens),
    audioCompletionTokens: to(usage.audioCompletionTokens),
    imagePromptTokens: to(usage.imagePromptTokens ?? 0),
    cachedAudioTokens: to(usage.cachedAudioTokens ?? 0),
    cachedImageTokens: to(usage.cachedImageTokens ?? 0),
    estimated: usage.estimated,
  };
}
