import {
  MEDIA_RATIOS,
  type MediaAmount,
  type MediaAmounts,
  type MediaRatios,
  mediaOf,
  toMediaAmounts,
} from "@/lib/billing/media-prices";
import { resolvePrice } from "@/lib/billing/resolve-price";
import type { PriceOptions, PriceRow } from "@/lib/billing/types";
import type { MeterPrices } from "@/lib/meters";
import type { Offer, OfferedPrice } from "./offer";

/** A price in force, or as it would be, in USD: per call, per million tokens, or per unit of its meters. */
export type WholePrice =
  | { kind: "call"; call: number }
  | (TokenPrice & { kind: "tokens"; meters?: MeterPrices })
  | { kind: "meters"; meters: MeterPrices };

/** What is absent of sound and pictures costs as much as text. */
type TokenPrice = { input: number; output: number; cached: number; cacheWrite: number } & MediaAmounts;

export type PriceChange = Offer & {
  /** Null = the model has no price yet. */
  before: WholePrice | null;
  after: WholePrice;
  /** An enabled channel has the model. */
  isServed: boolean;
};

const UNIT_TOKENS = 1_000_000;
/** Prices that differ by less are the same: computers know few decimals exactly. */
const TOLERANCE = 1e-6;

/**
 * What the offers would change, and how many would change nothing. Models that are served come first, and of each kind
 * those whose price changes, else in the list's order. Pure.
 */
export function comparePrices(
  offers: readonly Offer[],
  options: PriceOptions,
  served: ReadonlySet<string>,
): { changes: PriceChange[]; unchanged: number } {
  const changes: PriceChange[] = [];
  for (const offer of offers) {
    const before = priceInForce(offer.model, options);
    const after = complete(offer.model, offer.price, options);
    if (before && isSame(before, after)) continue;
    changes.push({ ...offer, before, after, isServed: served.has(offer.model) });
  }
  const rank = ({ isServed, before }: PriceChange) => (isServed ? 0 : 2) + (before ? 0 : 1);
  changes.sort((one, other) => rank(one) - rank(other));
  return { changes, unchanged: offers.length - changes.length };
}

/** Null = the model has no price. */
export function priceInForce(model: string, options: PriceOptions): WholePrice | null {
  const row = resolvePrice(model, 1, { ...options, SelfUseModeEnabled: false });
  return row && wholeOf(row, options);
}

function wholeOf(row: PriceRow, options: PriceOptions): WholePrice {
  const { meterPrices: meters } = row;
  if (meters && row.metersOnly) return { kind: "meters", meters };
  if (row.modelPrice !== null) return { kind: "call", call: row.modelPrice };
  const input = (row.modelRatio * UNIT_TOKENS) / options.QuotaPerUnit;
  return {
    kind: "tokens",
    input,
    output: input * row.completionRatio,
    cached: input * row.cacheRatio,
    cacheWrite: input * row.createCacheRatio,
    ...toMediaAmounts(mediaWithBase(row), input),
    ...(meters ? { meters } : {}),
  };
}

/** The price with that ratio in force of which the list says nothing. */
function complete(model: string, price: OfferedPrice, options: PriceOptions): WholePrice {
  if (price.kind === "call") return price;
  if (price.kind === "meters") return alone(model, price.meters, options);
  const meters = price.meters ?? own(options.ModelMeterPrices ?? {}, model);
  const row = resolvePrice(model, 1, options, true);
  const { input } = price;
  const media = { ...(row ? toMediaAmounts(mediaWithBase(row), input) : {}), ...price.media };
  return {
    kind: "tokens",
    input,
    output: price.output ?? input * (row?.completionRatio ?? 1),
    cached: price.cached ?? input * (row?.cacheRatio ?? 1),
    cacheWrite: price.cacheWrite ?? input * (row?.createCacheRatio ?? 1),
    ...media,
    ...(meters ? { meters } : {}),
  };
}

/** With meters and no entry of the operator's for anything else; a built-in ratio then still charges tokens. */
function alone(model: string, meters: MeterPrices, options: PriceOptions): WholePrice {
  const { QuotaPerUnit, CompletionRatio, CacheRatio } = options;
  const ofMedia = Object.fromEntries(MEDIA_RATIOS.map(({ option }) => [option, options[option] ?? {}]));
  const others = {
    ...ofMedia,
    ModelRatio: {},
    ModelPrice: {},
    CompletionRatio,
    CacheRatio,
    QuotaPerUnit,
    SelfUseModeEnabled: false,
  };
  const row = resolvePrice(model, 1, { ...others, ModelMeterPrices: { [model]: meters } });
  return row ? wholeOf(row, options) : { kind: "meters", meters };
}

function own<Value>(map: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

function isSame(before: WholePrice, after: WholePrice): boolean {
  if (before.kind === "call") return after.kind === "call" && isNear(before.call, after.call);
  if (after.kind === "call" || before.kind !== after.kind) return false;
  if (!areSame(before.meters ?? {}, after.meters ?? {})) return false;
  if (before.kind === "meters" || after.kind === "meters") return true;
  const fields = ["input", "output", "cached", "cacheWrite"] as const;
  const isText = fields.every((field) => isNear(before[field], after[field]));
  return isText && MEDIA_RATIOS.every(({ amount }) => isNear(mediaAmount(before, amount), mediaAmount(after, amount)));
}

const AS_TEXT = {
  audio: "input",
  audioOut: "output",
  audioCached: "cached",
  image: "input",
  imageCached: "cached",
} as const;

function mediaAmount(price: TokenPrice, amount: MediaAmount): number {
  return price[amount] ?? price[AS_TEXT[amount]];
}

/** Sound in answers is relative to sound in prompts, so that one needs the other. */
function mediaWithBase(row: PriceRow): MediaRatios {
  const media = mediaOf(row);
  return media.audioCompletionRatio === undefined ? media : { ...media, audioRatio: row.audioRatio };
}

function areSame(before: MeterPrices, after: MeterPrices): boolean {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].every((key) => {
    const [one, other] = [own(before, key), own(after, key)];
    return one !== undefined && other !== undefined && isNear(one, other);
  });
}

function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) <= TOLERANCE * Math.max(one, other);
}
