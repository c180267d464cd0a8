import {
  type Meter,
  type MeterPrices,
  type MeterUsage,
  meterKey,
  meterPriceBound,
  meterPriceMost,
  meterPriceUsed,
  quantityOf,
} from "@/lib/meters";
import { toDecimal, toDecimalOnce } from "./decimal";
import type { PriceRow } from "./types";

/** What a meter costs where only tokens have a price (contract §5.2). */
const TOKENS_PER_CHARACTER = 1;
const TOKENS_PER_SECOND = 1_000 / 60;
const USD_PER_PICTURE = 0.0025;

/** Usage of a meter with its cost: `exact` in units of 10^-48 quota. */
export type MeterPart = { kind: Meter; variant?: string; quantity: number; unitPrice: number; exact: bigint };

export type MeterParts = { parts: MeterPart[]; unpriced: string[]; isFree: boolean };

type PriceOf = (prices: MeterPrices, usage: MeterUsage) => number | undefined;

/** The meters that a price charges for; `wasCounted`: tokens were counted, so that they stand for what has no price of its own. */
export function meterParts(
  meters: readonly MeterUsage[],
  price: PriceRow,
  wasCounted: boolean,
  priceOf: PriceOf = meterPriceUsed,
): MeterParts {
  const found: MeterParts = { parts: [], unpriced: [], isFree: true };
  const prices = price.meterPrices ?? (wasCounted ? null : standInPrices(price));
  if (!prices) return found;
  const base = toDecimal(price.quotaPerUnit) * toDecimal(price.groupRatio);
  for (const usage of meters) {
    const quantity = quantityOf(usage);
    if (quantity === 0) continue;
    const usd = priceOf(prices, usage);
    if (usd === undefined) {
      found.unpriced.push(meterKey(usage));
      continue;
    }
    const rate = toDecimal(usd) * base;
    if (rate > 0n) found.isFree = false;
    found.parts.push({
      kind: usage.meter,
      ...(usage.variant ? { variant: usage.variant } : {}),
      quantity,
      unitPrice: usd * price.quotaPerUnit,
      exact: toDecimalOnce(quantity) * rate,
    });
  }
  return found;
}

/** The same at the most that each can cost, before the upstream has chosen what the request leaves open. */
export function meterBound(meters: readonly MeterUsage[], price: PriceRow): MeterParts {
  return meterParts(meters, price, false, meterPriceBound);
}

/** The first meter of a request that has no price; null = all of them can be charged. */
export function unpricedMeter(meters: readonly MeterUsage[], price: PriceRow, hasTokens: boolean): string | null {
  if (price.modelPrice !== null || (hasTokens && !price.meterPrices)) return null;
  return meterParts(meters, price, false, meterPriceMost).unpriced[0] ?? null;
}

/** How many calls a price per call is charged for: one for each picture, else one. */
export function callsOf(meters: readonly MeterUsage[] | undefined): number {
  if (!meters) return 1;
  const pictures = meters.reduce((sum, usage) => sum + (usage.meter === "picture" ? quantityOf(usage) : 0), 0);
  return Math.max(1, Math.ceil(pictures));
}

const standIns = new WeakMap<PriceRow, MeterPrices>();

function standInPrices(price: PriceRow): MeterPrices {
  const known = standIns.get(price);
  if (known) return known;
  const usdPerToken = price.quotaPerUnit > 0 ? price.modelRatio / price.quotaPerUnit : 0;
  const prices = {
    character: usdPerToken * TOKENS_PER_CHARACTER,
    second: usdPerToken * TOKENS_PER_SECOND,
    picture: price.modelRatio * USD_PER_PICTURE,
  };
  standIns.set(price, prices);
  return prices;
}
