import type { Meter, MeterUsage } from "@/lib/meters";
import { DECIMAL_ONE, divideRounding, toDecimal } from "./decimal";
import { callsOf, type MeterPart, type MeterParts, meterBound, meterParts } from "./meter-rates";
import { NO_QUOTA, type Quota, toQuota } from "./quota";
import type { BilledUsage, Charge, ChargeLine, PriceRow, TokenKind } from "./types";

export { resolvePrice } from "./resolve-price";
export type { BilledUsage, Charge, PriceRow } from "./types";

/** One quota as a product of three decimals: ratio × model ratio × group ratio. */
const EXACT_UNIT = DECIMAL_ONE ** 3n;
/** One quota as a product of four: quantity × USD × quota per unit × group ratio. */
const METER_UNIT = DECIMAL_ONE ** 4n;
/**
 * One quota for rates with at most eight decimal places. Plain numbers are exact for these and take a fifth of the time
 * of bigints.
 */
const PLAIN_UNIT = 10 ** 8;
const EXACT_PER_PLAIN = EXACT_UNIT / BigInt(PLAIN_UNIT);
/** Upper limit of a single charge, whatever the upstream or the price list says; keeps sums exact within 2^53. */
const MOST = 10n ** 13n;

/**
 * The charge for a usage at a price, with its line items:
 * - by tokens: (text + cached × cacheRatio + cache writes × createCacheRatio + audio × audioRatio + pictures × imageRatio
 *   + cached audio × audioCacheRatio + cached pictures × imageCacheRatio + completion × completionRatio + audio out × audioRatio × audioCompletionRatio) × modelRatio × groupRatio,
 *   rounded half away from zero; at least 1 when anything was used and neither model nor group ratio is 0;
 * - by meters: quantity × USD × quotaPerUnit × groupRatio, added to the tokens before the sum is rounded once;
 * - by call (modelPrice set): modelPrice × quotaPerUnit × groupRatio, rounded; independent of tokens; for each picture;
 * - nothing used at all: 0, also by call, because the upstream delivered nothing.
 */
export function priceUsage(usage: BilledUsage, price: PriceRow): Charge {
  return reckonUsage(usage, price, 1);
}

/** Like `priceUsage`; `least` is the smallest charge for anything used that is not free. */
export function reckonUsage(usage: BilledUsage, price: PriceRow, least: 0 | 1): Charge {
  const promptTokens = count(usage.promptTokens);
  const completionTokens = count(usage.completionTokens);
  const tokens = promptTokens + completionTokens;
  const meters = usage.meters ?? NO_METERS;
  if (tokens === 0 && meters.length === 0) return { quota: NO_QUOTA, lines: [] };
  if (price.modelPrice !== null) return priceCall(price.modelPrice, price, meters);
  const parts = splitTokens(usage, price, promptTokens, completionTokens);
  // Only a charge takes the dearest variant for now; a cost is what the upstream bills in the end.
  const isBound = usage.areMetersOpen === true && least === 1;
  if (meters.length > 0 || price.metersOnly) return reckonMeters(parts, meters, price, least, isBound);
  const rates = ratesOf(price);
  const sum = reckon(parts, rates);
  const quota = least === 1 ? atLeastOne(sum, rates) : sum;
  return { quota, lines: apportion(parts, quota, price) };
}

const NO_METERS: readonly MeterUsage[] = [];

/** Tokens and meters together. Where tokens were counted, they stand for meters without a price of their own. */
function reckonMeters(
  parts: TokenPart[],
  meters: readonly MeterUsage[],
  price: PriceRow,
  least: 0 | 1,
  isBound: boolean,
): Charge {
  const rates = ratesOf(price);
  const found = isBound ? meterBound(meters, price) : meterParts(meters, price, parts.length > 0);
  const { unpriced } = found;
  if (price.metersOnly && parts.length > 0 && found.parts.length === 0) unpriced.push("token");
  const sum = totalOf(parts, rates, found);
  const isFree = found.isFree && (parts.length === 0 || rates.isFree);
  const quota = least === 1 && sum === 0 && !isFree ? toQuota(1) : sum;
  // Tokens without a price are no line of the charge.
  const lines = apportion([...(price.metersOnly ? [] : parts), ...found.parts.map(toPart)], quota, price);
  return unpriced.length > 0 ? { quota, lines, unpriced } : { quota, lines };
}

/** Tokens and meters, rounded once. */
function totalOf(parts: readonly TokenPart[], rates: Rates, { parts: metered }: Pick<MeterParts, "parts">): Quota {
  let sum = exactSum(parts, rates) * DECIMAL_ONE;
  for (const { exact } of metered) sum += exact;
  return cap(divideRounding(sum, METER_UNIT));
}

function toPart({ exact, ...line }: MeterPart): MeteredPart {
  const rest = Number((exact % METER_UNIT) / (METER_UNIT / BigInt(PLAIN_UNIT)));
  return { ...line, whole: cap(exact / METER_UNIT), rest };
}

/** Tokens of a request before it is answered. */
export type PromptBound = {
  /** Text, pictures and files. */
  promptTokens: number;
  /** How many of these may be of pictures; absent = all of them. */
  imagePromptTokens?: number;
  /** None of it is written to a cache of the upstream's; absent = it may be. */
  isUncached?: true;
  audioPromptTokens: number;
  /** The answer may be sound. */
  writesAudio: boolean;
};

/**
 * The most that a request can cost: prompt tokens at the higher of the plain and the cache-write rate, sound at its
 * own, the answer as sound where that is dearer and may come, and `meters` at the highest price that fits.
 */
export function priceBound(
  prompt: PromptBound,
  completionTokens: number,
  price: PriceRow,
  meters: readonly MeterUsage[] = NO_METERS,
): Quota {
  const text = count(prompt.promptTokens);
  const audio = count(prompt.audioPromptTokens);
  const completion = count(completionTokens);
  if (text + audio + completion === 0 && meters.length === 0) return NO_QUOTA;
  if (price.modelPrice !== null) return priceCall(price.modelPrice, price, meters).quota;
  const rates = ratesOf(price);
  const plain = prompt.isUncached ? "prompt" : rates.dearestText;
  const image = price.imageRatio === undefined ? 0 : Math.min(text, count(prompt.imagePromptTokens ?? text));
  const answer = answerKind(prompt, price);
  if (meters.length === 0 && image + audio === 0) {
    // The usual case, four times a request: no parts are made.
    const sum = priceOf(text, rates[plain].plain) + priceOf(completion, rates[answer].plain);
    if (sum <= Number.MAX_SAFE_INTEGER) return atLeastOne(rounded(0, sum), rates);
  }
  const parts: TokenPart[] = [];
  add(parts, plain, text - image);
  add(parts, dearestOf(IMAGE_KINDS, rates, plain), image);
  add(parts, dearestOf(AUDIO_KINDS, rates, plain), audio);
  add(parts, answer, completion);
  if (meters.length > 0) return boundMeters(parts, meters, price);
  return atLeastOne(reckon(parts, rates), rates);
}

/** Tokens that do not occur cost nothing, whatever their rate is. */
function priceOf(tokens: number, rate: number): number {
  return tokens === 0 ? 0 : tokens * rate;
}

/** What an answer reports decides whether tokens are charged or what stands for them: the bound is the dearer of both. */
function boundMeters(parts: readonly TokenPart[], meters: readonly MeterUsage[], price: PriceRow): Quota {
  const rates = ratesOf(price);
  const metered = meterBound(meters, price);
  const least = rates.isFree && metered.isFree ? 0 : 1;
  const total = price.meterPrices
    ? totalOf(parts, rates, metered)
    : Math.max(reckon(parts, rates), totalOf([], rates, metered));
  return toQuota(Math.max(least, total));
}

/** How many tokens of an answer an amount pays for after all else; Infinity = tokens of the answer cost nothing. */
export function affordableTokens(
  amount: number,
  prompt: PromptBound,
  price: PriceRow,
  meters: readonly MeterUsage[] = NO_METERS,
): number {
  if (isAnswerFree(prompt, price)) return Number.POSITIVE_INFINITY;
  const { near } = ratesOf(price)[answerKind(prompt, price)];
  const isPaid = (tokens: number): boolean => priceBound(prompt, tokens, price, meters) <= amount;
  const most = Math.max(0, Math.ceil((amount - priceBound(prompt, 0, price, meters) + 1) / near));
  if (most === 0 || isPaid(most)) return most;
  // The sum is rounded once and the division is not exact; by halving, because a quota may be millions of tokens.
  let [paid, unpaid] = [Math.max(0, most - Math.ceil(2 / near) - 1), most];
  if (!isPaid(paid)) [paid, unpaid] = [0, paid];
  while (unpaid - paid > 1) {
    const middle = Math.floor((paid + unpaid) / 2);
    if (isPaid(middle)) paid = middle;
    else unpaid = middle;
  }
  return paid;
}

/** Whether tokens of the answer cost nothing. */
export function isAnswerFree(prompt: PromptBound, price: PriceRow): boolean {
  return price.modelPrice !== null || ratesOf(price)[answerKind(prompt, price)].near === 0;
}

/** The kinds as which a token of a prompt may be charged. */
const TEXT_KINDS = ["prompt", "cacheWrite"] as const satisfies readonly TokenKind[];
const AUDIO_KINDS = ["audioPrompt", "cachedAudio"] as const satisfies readonly TokenKind[];
const IMAGE_KINDS = ["imagePrompt", "cachedImage"] as const satisfies readonly TokenKind[];

/** The dearest of these kinds and of `plain`. */
function dearestOf(kinds: readonly TokenKind[], rates: Record<TokenKind, Rate>, plain: TokenKind): TokenKind {
  let dearest = plain;
  for (const kind of kinds) if (rates[kind].near > rates[dearest].near) dearest = kind;
  return dearest;
}

function answerKind({ writesAudio }: PromptBound, price: PriceRow): TokenKind {
  return writesAudio && ratioOf("audioCompletion", price) > price.completionRatio ? "audioCompletion" : "completion";
}

function priceCall(modelPrice: number, price: PriceRow, meters: readonly MeterUsage[]): Charge {
  const quantity = callsOf(meters);
  const call = toDecimal(modelPrice) * toDecimal(price.quotaPerUnit) * toDecimal(price.groupRatio);
  const quota = cap(divideRounding(call * BigInt(quantity), EXACT_UNIT));
  return { quota, lines: [{ kind: "call", quantity, unitPrice: modelPrice * price.quotaPerUnit, amount: quota }] };
}

/** Tokens of one kind, or what a meter counted. It costs `whole` quota plus `rest` / PLAIN_UNIT. */
type TokenPart = { kind: TokenKind; quantity: number; whole: number; rest: number; unitPrice?: undefined };
type MeteredPart = { kind: Meter; variant?: string; quantity: number; whole: number; rest: number; unitPrice: number };
type Part = TokenPart | MeteredPart;

/** Quota per token of each kind; `near` is not exact. `plain` is NaN when the rate has more decimal places than PLAIN_UNIT can represent. */
type Rate = { plain: number; exact: bigint; near: number };
type Rates = Record<TokenKind, Rate> & { isFree: boolean; dearestText: TokenKind };

/** Cached by identity: the snapshot keeps one price row for many requests. */
const ratesByPrice = new WeakMap<PriceRow, Rates>();

function ratesOf(price: PriceRow): Rates {
  const known = ratesByPrice.get(price);
  if (known) return known;
  const base = toDecimal(price.modelRatio) * toDecimal(price.groupRatio);
  const rate = (kind: TokenKind) => {
    const exact = toDecimal(ratioOf(kind, price)) * base;
    const near = Number(exact) / Number(EXACT_UNIT);
    return { exact, near, plain: exact % EXACT_PER_PLAIN === 0n ? Number(exact / EXACT_PER_PLAIN) : Number.NaN };
  };
  const byKind: Record<TokenKind, Rate> = {
    prompt: rate("prompt"),
    cached: rate("cached"),
    cachedAudio: rate("cachedAudio"),
    cachedImage: rate("cachedImage"),
    cacheWrite: rate("cacheWrite"),
    audioPrompt: rate("audioPrompt"),
    imagePrompt: rate("imagePrompt"),
    completion: rate("completion"),
    audioCompletion: rate("audioCompletion"),
  };
  const rates: Rates = { ...byKind, isFree: base === 0n, dearestText: dearestOf(TEXT_KINDS, byKind, "prompt") };
  ratesByPrice.set(price, rates);
  return rates;
}

/** The cost of a token of this kind in units of the model ratio. */
function ratioOf(kind: TokenKind, price: PriceRow): number {
  switch (kind) {
    case "prompt":
      return price.promptRatio ?? 1;
    case "cached":
      return price.cacheRatio;
    case "cachedAudio":
      return price.audioCacheRatio ?? price.cacheRatio;
    case "cachedImage":
      return price.imageCacheRatio ?? price.cacheRatio;
    case "cacheWrite":
      return price.createCacheRatio;
    case "audioPrompt":
      return price.audioRatio;
    case "imagePrompt":
      return price.imageRatio ?? price.promptRatio ?? 1;
    case "completion":
      return price.completionRatio;
    case "audioCompletion":
      return price.audioRatio * price.audioCompletionRatio;
  }
}

/** Sets the cost of each part, rounded down; returns the total, rounded once. */
function reckon(parts: readonly TokenPart[], rates: Rates): Quota {
  let whole = 0;
  let rest = 0;
  for (const part of parts) {
    const exact = part.quantity * rates[part.kind].plain;
    if (!(exact <= Number.MAX_SAFE_INTEGER)) return reckonExactly(parts, rates);
    part.rest = exact % PLAIN_UNIT;
    part.whole = (exact - part.rest) / PLAIN_UNIT;
    whole += part.whole;
    rest += part.rest;
  }
  return rounded(whole, rest);
}

/** `rest` in units of 1 / PLAIN_UNIT. Exact up to 2^53, because only what is less than one quota is divided. */
function rounded(whole: number, rest: number): Quota {
  const part = rest % PLAIN_UNIT;
  return toQuota(whole + (rest - part) / PLAIN_UNIT + Math.floor(part / PLAIN_UNIT + 0.5));
}

/** The same with bigints, for rates with many decimal places and for sums beyond 2^53. */
function reckonExactly(parts: readonly TokenPart[], rates: Rates): Quota {
  return cap(divideRounding(exactSum(parts, rates), EXACT_UNIT));
}

/** Sets the cost of each part, rounded down; returns the total in units of EXACT_UNIT. */
function exactSum(parts: readonly TokenPart[], rates: Rates): bigint {
  let sum = 0n;
  for (const part of parts) {
    const exact = BigInt(part.quantity) * rates[part.kind].exact;
    part.whole = cap(exact / EXACT_UNIT);
    part.rest = Number((exact % EXACT_UNIT) / EXACT_PER_PLAIN);
    sum += exact;
  }
  return sum;
}

function atLeastOne(quota: Quota, { isFree }: Rates): Quota {
  return quota === 0 && !isFree ? toQuota(1) : quota;
}

/**
 * Splits the usage into disjoint kinds of tokens. A kind that exceeds the rest of its total is cut to that rest: sound that is cached
 * too is cached, as makers charge it.
 */
function splitTokens(usage: BilledUsage, price: PriceRow, promptTokens: number, completionTokens: number): TokenPart[] {
  const cached = Math.min(count(usage.cachedTokens), promptTokens);
  const cacheWrite = Math.min(count(usage.cacheWriteTokens), promptTokens - cached);
  const audioPrompt = Math.min(count(usage.audioPromptTokens), promptTokens - cached - cacheWrite);
  const audioCompletion = Math.min(count(usage.audioCompletionTokens), completionTokens);
  // A kind without a price of its own counts as text, or as cached text.
  const { imagePromptTokens = 0, cachedAudioTokens = 0, cachedImageTokens = 0 } = usage;
  const left = promptTokens - cached - cacheWrite - audioPrompt;
  const image = price.imageRatio === undefined ? 0 : Math.min(count(imagePromptTokens), left);
  const cachedAudio = price.audioCacheRatio === undefined ? 0 : Math.min(count(cachedAudioTokens), cached);
  const cachedLeft = cached - cachedAudio;
  const cachedImage = price.imageCacheRatio === undefined ? 0 : Math.min(count(cachedImageTokens), cachedLeft);
  const parts: TokenPart[] = [];
  add(parts, "prompt", left - image);
  add(parts, "cached", cachedLeft - cachedImage);
  add(parts, "cachedAudio", cachedAudio);
  add(parts, "cachedImage", cachedImage);
  add(parts, "cacheWrite", cacheWrite);
  add(parts, "audioPrompt", audioPrompt);
  add(parts, "imagePrompt", image);
  add(parts, "completion", completionTokens - audioCompletion);
  add(parts, "audioCompletion", audioCompletion);
  return parts;
}

function add(parts: TokenPart[], kind: TokenKind, quantity: number): void {
  if (quantity > 0) parts.push({ kind, quantity, whole: 0, rest: 0 });
}

/**
 * Line items with whole amounts that add up to the charge: each is rounded down, then those with the largest remainder
 * get the missing units.
 */
function apportion(parts: readonly Part[], quota: Quota, price: PriceRow): ChargeLine[] {
  let left: number = quota;
  const lines = parts.map((part): ChargeLine => {
    const amount = toQuota(Math.min(part.whole, left));
    left -= amount;
    const { kind, quantity } = part;
    if (part.unitPrice !== undefined) return meterLine(part, amount);
    return { kind, quantity, unitPrice: price.modelRatio * ratioOf(part.kind, price), amount };
  });
  if (left > 0) {
    const byLoss = lines.map((line, at) => ({ line, rest: parts[at]?.rest ?? 0 })).sort((a, b) => b.rest - a.rest);
    for (let i = 0; left > 0; i = (i + 1) % byLoss.length, left--) {
      const line = byLoss[i]?.line;
      if (line) line.amount = toQuota(line.amount + 1);
    }
  }
  return lines;
}

function meterLine({ kind, variant, quantity, unitPrice }: MeteredPart, amount: Quota): ChargeLine {
  return variant === undefined ? { kind, quantity, unitPrice, amount } : { kind, variant, quantity, unitPrice, amount };
}

function cap(amount: bigint): Quota {
  return toQuota(amount > MOST ? Number(MOST) : Number(amount));
}

/** Invalid token counts become 0; fractions are rounded down. */
function count(tokens: number): number {
  return Number.isFinite(tokens) && tokens > 0 ? Math.min(Math.floor(tokens), 2 ** 31 - 1) : 0;
}
