import { DECIMAL_ONE, divideRounding, toDecimal } from "./decimal";
import { NO_QUOTA, type Quota, toQuota } from "./quota";
import type { BilledUsage, Charge, ChargeKind, ChargeLine, PriceRow } from "./types";

export { resolvePrice } from "./resolve-price";
export type { BilledUsage, Charge, PriceRow } from "./types";

/** One quota as a product of three decimals: ratio × model ratio × group ratio. */
const EXACT_UNIT = DECIMAL_ONE ** 3n;
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
 * - by tokens: (text + cached × cacheRatio + cache writes × createCacheRatio + audio × audioRatio
 *   + completion × completionRatio + audio out × audioRatio × audioCompletionRatio) × modelRatio × groupRatio,
 *   rounded half away from zero; at least 1 when anything was used and neither model nor group ratio is 0;
 * - by call (modelPrice set): modelPrice × quotaPerUnit × groupRatio, rounded; independent of tokens;
 * - no tokens at all: 0, also by call, because the upstream delivered nothing.
 */
export function priceUsage(usage: BilledUsage, price: PriceRow): Charge {
  return reckonUsage(usage, price, 1);
}

/** Like `priceUsage`; `least` is the smallest charge for anything used that is not free. */
export function reckonUsage(usage: BilledUsage, price: PriceRow, least: 0 | 1): Charge {
  const promptTokens = count(usage.promptTokens);
  const completionTokens = count(usage.completionTokens);
  if (promptTokens + completionTokens === 0) return { quota: NO_QUOTA, lines: [] };
  if (price.modelPrice !== null) return priceCall(price.modelPrice, price);
  const parts = splitTokens(usage, promptTokens, completionTokens);
  const rates = ratesOf(price);
  const sum = reckon(parts, rates);
  const quota = least === 1 ? atLeastOne(sum, rates) : sum;
  return { quota, lines: apportion(parts, quota, price) };
}

/** Tokens of a request before it is answered. */
export type PromptBound = {
  /** Text, pictures and files. */
  promptTokens: number;
  audioPromptTokens: number;
  /** The answer may be sound. */
  writesAudio: boolean;
};

/**
 * The most that a request can cost: prompt tokens at the higher of the plain and the cache-write rate, sound at its
 * own, the answer as sound where that is dearer and may come.
 */
export function priceBound(prompt: PromptBound, completionTokens: number, price: PriceRow): Quota {
  const text = count(prompt.promptTokens);
  const audio = count(prompt.audioPromptTokens);
  const completion = count(completionTokens);
  if (text + audio + completion === 0) return NO_QUOTA;
  if (price.modelPrice !== null) return priceCall(price.modelPrice, price).quota;
  const parts: Part[] = [];
  add(parts, price.createCacheRatio > 1 ? "cacheWrite" : "prompt", text);
  add(parts, audioKind(price), audio);
  add(parts, answerKind(prompt, price), completion);
  const rates = ratesOf(price);
  return atLeastOne(reckon(parts, rates), rates);
}

/** How many tokens of an answer an amount pays for after the prompt; Infinity = tokens of the answer cost nothing. */
export function affordableTokens(amount: number, prompt: PromptBound, price: PriceRow): number {
  if (isAnswerFree(prompt, price)) return Number.POSITIVE_INFINITY;
  const rate = ratesOf(price)[answerKind(prompt, price)].near;
  let tokens = Math.max(0, Math.ceil((amount - priceBound(prompt, 0, price) + 1) / rate));
  // The sum is rounded once and the division is not exact, so that the last few tokens are tried.
  while (tokens > 0 && priceBound(prompt, tokens, price) > amount) {
    tokens -= Math.max(1, Math.floor((priceBound(prompt, tokens, price) - amount - 1) / rate));
  }
  return Math.max(0, tokens);
}

/** Whether tokens of the answer cost nothing. */
export function isAnswerFree(prompt: PromptBound, price: PriceRow): boolean {
  return price.modelPrice !== null || ratesOf(price)[answerKind(prompt, price)].near === 0;
}

function audioKind(price: PriceRow): TokenKind {
  const plain = Math.max(1, price.createCacheRatio);
  return price.audioRatio > plain ? "audioPrompt" : price.createCacheRatio > 1 ? "cacheWrite" : "prompt";
}

function answerKind({ writesAudio }: PromptBound, price: PriceRow): TokenKind {
  return writesAudio && ratioOf("audioCompletion", price) > price.completionRatio ? "audioCompletion" : "completion";
}

function priceCall(modelPrice: number, price: PriceRow): Charge {
  const exact = toDecimal(modelPrice) * toDecimal(price.quotaPerUnit) * toDecimal(price.groupRatio);
  const quota = cap(divideRounding(exact, EXACT_UNIT));
  return { quota, lines: [{ kind: "call", quantity: 1, unitPrice: modelPrice * price.quotaPerUnit, amount: quota }] };
}

type TokenKind = Exclude<ChargeKind, "call">;

/** Tokens of one kind. Their cost is `whole` quota plus `rest` / PLAIN_UNIT. */
type Part = { kind: TokenKind; quantity: number; whole: number; rest: number };

/** Quota per token of each kind; `near` is not exact. `plain` is NaN when the rate has more decimal places than PLAIN_UNIT can represent. */
type Rates = Record<TokenKind, { plain: number; exact: bigint; near: number }> & { isFree: boolean };

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
  const rates: Rates = {
    prompt: rate("prompt"),
    cached: rate("cached"),
    cacheWrite: rate("cacheWrite"),
    audioPrompt: rate("audioPrompt"),
    completion: rate("completion"),
    audioCompletion: rate("audioCompletion"),
    isFree: base === 0n,
  };
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
    case "cacheWrite":
      return price.createCacheRatio;
    case "audioPrompt":
      return price.audioRatio;
    case "completion":
      return price.completionRatio;
    case "audioCompletion":
      return price.audioRatio * price.audioCompletionRatio;
  }
}

/** Sets the cost of each part, rounded down; returns the total, rounded once. */
function reckon(parts: readonly Part[], rates: Rates): Quota {
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
  return toQuota(whole + Math.floor(rest / PLAIN_UNIT + 0.5));
}

/** The same with bigints, for rates with many decimal places and for sums beyond 2^53. */
function reckonExactly(parts: readonly Part[], rates: Rates): Quota {
  let sum = 0n;
  for (const part of parts) {
    const exact = BigInt(part.quantity) * rates[part.kind].exact;
    part.whole = cap(exact / EXACT_UNIT);
    part.rest = Number((exact % EXACT_UNIT) / EXACT_PER_PLAIN);
    sum += exact;
  }
  return cap(divideRounding(sum, EXACT_UNIT));
}

function atLeastOne(quota: Quota, { isFree }: Rates): Quota {
  return quota === 0 && !isFree ? toQuota(1) : quota;
}

/** Splits the usage into disjoint kinds of tokens. A kind that exceeds the rest of its total is cut to that rest. */
function splitTokens(usage: BilledUsage, promptTokens: number, completionTokens: number): Part[] {
  const audioPrompt = Math.min(count(usage.audioPromptTokens), promptTokens);
  const cached = Math.min(count(usage.cachedTokens), promptTokens - audioPrompt);
  const cacheWrite = Math.min(count(usage.cacheWriteTokens), promptTokens - audioPrompt - cached);
  const audioCompletion = Math.min(count(usage.audioCompletionTokens), completionTokens);
  const parts: Part[] = [];
  add(parts, "prompt", promptTokens - audioPrompt - cached - cacheWrite);
  add(parts, "cached", cached);
  add(parts, "cacheWrite", cacheWrite);
  add(parts, "audioPrompt", audioPrompt);
  add(parts, "completion", completionTokens - audioCompletion);
  add(parts, "audioCompletion", audioCompletion);
  return parts;
}

function add(parts: Part[], kind: TokenKind, quantity: number): void {
  if (quantity > 0) parts.push({ kind, quantity, whole: 0, rest: 0 });
}

/**
 * Line items with whole amounts that add up to the charge: each is rounded down, then those with the largest remainder
 * get the missing units.
 */
function apportion(parts: readonly Part[], quota: Quota, price: PriceRow): ChargeLine[] {
  let left: number = quota;
  const lines = parts.map(({ kind, quantity, whole }): ChargeLine => {
    const amount = Math.min(whole, left);
    left -= amount;
    return { kind, quantity, unitPrice: price.modelRatio * ratioOf(kind, price), amount: toQuota(amount) };
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

function cap(amount: bigint): Quota {
  return toQuota(amount > MOST ? Number(MOST) : Number(amount));
}

/** Invalid token counts become 0; fractions are rounded down. */
function count(tokens: number): number {
  return Number.isFinite(tokens) && tokens > 0 ? Math.min(Math.floor(tokens), 2 ** 31 - 1) : 0;
}
