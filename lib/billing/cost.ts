import { METERS, type MeterPrices } from "@/lib/meters";
import { mediaRatiosInForce } from "./media-prices";
import { reckonUsage } from "./price";
import { resolvePrice } from "./resolve-price";
import type { BilledUsage, Charge, PriceOptions, PriceRow } from "./types";

/** What an upstream takes for one model: USD per million tokens, per unit of its meters, or per call. */
export type CostPrice = {
  readonly input?: number | undefined;
  /** Default: the input price. */
  readonly output?: number | undefined;
  /** Prompt tokens read from the upstream's cache. Default: the input price. */
  readonly cached?: number | undefined;
  /** USD per unit; keys as in lib/meters.ts. */
  readonly meters?: MeterPrices | undefined;
  /** USD per call; the other fields are then ignored. */
  readonly per_call?: number | undefined;
};

/** How a channel's upstream bills. */
export type CostTerms = {
  /** Of the model's list price, for models without a price of their own; 0 = free; null = not known. */
  readonly factor: number | null;
  readonly prices: Readonly<Record<string, CostPrice>>;
};

/** Where a cost comes from; kept with it, so that it can be recomputed. */
export type CostRow = {
  /** The model whose price it is. */
  readonly model: string;
  /** Null = the channel has its own price for the model. */
  readonly factor: number | null;
  readonly price: PriceRow;
};

/** Writing to an upstream's cache, relative to the input price. */
const CACHE_WRITE_RATIO = 1.25;
const TOKENS_PER_PRICE = 1_000_000;

/**
 * What an upstream bills for a model: the channel's own price, else its factor of the list price. `names` are the names
 * of the model, the upstream's first: that is the one it bills. Null = not known. Pure.
 */
export function resolveCost(names: readonly string[], terms: CostTerms, options: PriceOptions): CostRow | null {
  for (const model of names) {
    const own = Object.hasOwn(terms.prices, model) ? terms.prices[model] : undefined;
    if (own) return { model, factor: null, price: toPriceRow(model, own, options) };
  }
  const { factor } = terms;
  if (factor === null) return null;
  // A ratio that stands in for a missing price says nothing of what the upstream takes.
  const listed = { ...options, SelfUseModeEnabled: false };
  for (const model of names) {
    const price = resolvePrice(model, factor, listed);
    if (price) return { model, factor, price };
  }
  const [model] = names;
  if (factor !== 0 || model === undefined) return null;
  return { model, factor, price: { ...freePrice(options.QuotaPerUnit), meterPrices: FREE_METERS } };
}

const FREE_METERS: MeterPrices = Object.fromEntries(METERS.map((meter) => [meter, 0]));

/**
 * The cost of a usage in whole quota, with its line items: computed like a charge, rounded once, half away from zero.
 * Unlike a charge it has no minimum, because upstreams bill fractions. With something unpriced it is not known.
 */
export function costUsage(usage: BilledUsage, { price, factor }: CostRow): Charge {
  const charge = reckonUsage(usage, price, 0);
  // What the operator charges for want of another price says nothing of what a channel with prices of its own takes.
  const isGuessed = factor === null && price.modelPrice === null && !price.meterPrices && isMeteredOnly(usage);
  return isGuessed ? { ...charge, unpriced: (usage.meters ?? []).map(({ meter }) => meter) } : charge;
}

function isMeteredOnly({ promptTokens, completionTokens, meters }: BilledUsage): boolean {
  return promptTokens + completionTokens === 0 && meters !== undefined && meters.length > 0;
}

/** The ratios are the prices themselves, so that a price of 0 divides nothing and no decimal place is lost. */
function toPriceRow(model: string, own: CostPrice, options: PriceOptions): PriceRow {
  const { input = 0, output = input, cached = input } = own;
  const { meters } = own;
  const { QuotaPerUnit: quotaPerUnit } = options;
  const media = mediaRatiosInForce(model, input === 0 ? 1 : output / input, options);
  return {
    ...freePrice(quotaPerUnit),
    modelRatio: quotaPerUnit / TOKENS_PER_PRICE,
    promptRatio: input,
    completionRatio: output,
    cacheRatio: cached,
    createCacheRatio: input * CACHE_WRITE_RATIO,
    ...absoluteMedia(media, input),
    modelPrice: own.per_call ?? null,
    ...(meters ? { meterPrices: meters } : {}),
    ...(meters && own.input === undefined ? { metersOnly: true as const } : {}),
  };
}

/** Sound and pictures as the model's ratios say, at the channel's price of text. */
function absoluteMedia(
  media: ReturnType<typeof mediaRatiosInForce>,
  input: number,
): Pick<PriceRow, keyof typeof media> {
  const { audioCompletionRatio, ...others } = media;
  const entries = Object.entries(others).map(([name, ratio]) => [name, input * ratio] as const);
  return { ...media, ...Object.fromEntries(entries), audioCompletionRatio };
}

function freePrice(quotaPerUnit: number): PriceRow {
  return {
    modelRatio: 0,
    completionRatio: 1,
    cacheRatio: 1,
    createCacheRatio: 1,
    audioRatio: 1,
    audioCompletionRatio: 1,
    modelPrice: null,
    groupRatio: 1,
    quotaPerUnit,
  };
}
