import { DECIMAL_ONE, divideRounding, toDecimal } from "./decimal";
import { NO_QUOTA, type Quota, toQuota } from "./quota";
import type { BilledUsage, Charge, ChargeKind, ChargeLine, PriceRow } from "./types";

export { resolvePrice } from "./resolve-price";
export type { BilledUsage, Charge, PriceRow } from "./types";

/** tokens × ratio × model ratio × group ratio, in the units of the three decimals. */
const PART_UNIT = DECIMAL_ONE ** 3n;
/** No single charge is more than this, whatever an upstream or a price list says; sums stay exact in 2^53. */
const MOST = 10n ** 13n;

/**
 * What a usage costs at a price, with its line items. Rules:
 * - by tokens: (text + cached × cacheRatio + cache writes × createCacheRatio + audio × audioRatio
 *   + completion × completionRatio + audio out × audioRatio × audioCompletionRatio) × modelRatio × groupRatio,
 *   rounded half away from zero; at least 1 when anything was used and neither model nor group ratio is 0;
 * - by call (modelPrice set): modelPrice × quotaPerUnit × groupRatio, rounded; the tokens do not matter;
 * - nothing used (no tokens at all) costs nothing, by call too: the upstream delivered nothing.
 */
export function priceUsage(usage: BilledUsage, price: PriceRow): Charge {
  const promptTokens = count(usage.promptTokens);
  const completionTokens = count(usage.completionTokens);
  if (promptTokens + completionTokens === 0) return { quota: NO_QUOTA, lines: [] };
  if (price.modelPrice !== null) return priceCall(price.modelPrice, price);
  return priceTokens(usage, promptTokens, completionTokens, price);
}

/** The most that so many tokens can cost: the prompt at the dearest rate that caching may bring. Text only. */
export function priceBound(promptTokens: number, completionTokens: number, price: PriceRow): Quota {
  const allWritten = price.createCacheRatio > 1 && price.modelPrice === null;
  const bound = priceUsage(
    {
      promptTokens,
      completionTokens,
      cachedTokens: 0,
      cacheWriteTokens: allWritten ? promptTokens : 0,
      audioPromptTokens: 0,
      audioCompletionTokens: 0,
      estimated: true,
    },
    price,
  );
  return bound.quota;
}

function priceCall(modelPrice: number, price: PriceRow): Charge {
  const exact = toDecimal(modelPrice) * toDecimal(price.quotaPerUnit) * toDecimal(price.groupRatio);
  const quota = cap(divideRounding(exact, DECIMAL_ONE ** 3n));
  return { quota, lines: [{ kind: "call", quantity: 1, unitPrice: modelPrice * price.quotaPerUnit, amount: quota }] };
}

type Part = { kind: ChargeKind; quantity: number; ratio: number; exact: bigint };

function priceTokens(usage: BilledUsage, promptTokens: number, completionTokens: number, price: PriceRow): Charge {
  const rate = toDecimal(price.modelRatio) * toDecimal(price.groupRatio);
  const parts = splitTokens(usage, promptTokens, completionTokens, price);
  let sum = 0n;
  for (const part of parts) {
    part.exact *= rate;
    sum += part.exact;
  }
  const rounded = cap(divideRounding(sum, PART_UNIT));
  const quota = rounded === 0 && rate !== 0n ? toQuota(1) : rounded;
  return { quota, lines: apportion(parts, quota, price) };
}

/** Disjoint kinds of tokens; a part that exceeds what is left of its total is cut to it. */
function splitTokens(usage: BilledUsage, promptTokens: number, completionTokens: number, price: PriceRow): Part[] {
  const audioPrompt = Math.min(count(usage.audioPromptTokens), promptTokens);
  const cached = Math.min(count(usage.cachedTokens), promptTokens - audioPrompt);
  const cacheWrite = Math.min(count(usage.cacheWriteTokens), promptTokens - audioPrompt - cached);
  const audioCompletion = Math.min(count(usage.audioCompletionTokens), completionTokens);
  const parts: Part[] = [];
  add(parts, "prompt", promptTokens - audioPrompt - cached - cacheWrite, 1);
  add(parts, "cached", cached, price.cacheRatio);
  add(parts, "cacheWrite", cacheWrite, price.createCacheRatio);
  add(parts, "audioPrompt", audioPrompt, price.audioRatio);
  add(parts, "completion", completionTokens - audioCompletion, price.completionRatio);
  add(parts, "audioCompletion", audioCompletion, price.audioRatio * price.audioCompletionRatio);
  return parts;
}

function add(parts: Part[], kind: ChargeKind, quantity: number, ratio: number): void {
  if (quantity > 0) parts.push({ kind, quantity, ratio, exact: BigInt(quantity) * toDecimal(ratio) });
}

/** Whole amounts that add up to the charge: each part rounded down, the rest to those that lost most by it. */
function apportion(parts: readonly Part[], quota: Quota, price: PriceRow): ChargeLine[] {
  let rest: number = quota;
  const shares = parts.map(({ kind, quantity, ratio, exact }) => {
    const amount = Math.min(cap(exact / PART_UNIT), rest);
    rest -= amount;
    const line: ChargeLine = { kind, quantity, unitPrice: price.modelRatio * ratio, amount: toQuota(amount) };
    return { line, lost: exact % PART_UNIT };
  });
  if (rest > 0) {
    const byLoss = [...shares].sort((a, b) => (a.lost < b.lost ? 1 : a.lost > b.lost ? -1 : 0));
    for (let i = 0; rest > 0; i = (i + 1) % byLoss.length, rest--) {
      const line = byLoss[i]?.line;
      if (line) line.amount = toQuota(line.amount + 1);
    }
  }
  return shares.map((share) => share.line);
}

function cap(amount: bigint): Quota {
  return toQuota(amount > MOST ? Number(MOST) : Number(amount));
}

/** A token count as upstreams should send it; what is no count is none. */
function count(tokens: number): number {
  return Number.isFinite(tokens) && tokens > 0 ? Math.min(Math.floor(tokens), 2 ** 31 - 1) : 0;
}
