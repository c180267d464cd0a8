import { DECIMAL_ONE, divideRounding, toDecimal } from "@/lib/billing/decimal";
import { type Quota, toQuota } from "@/lib/billing/quota";

export type PriceRule = {
  /** True: amounts are USD units; false: amounts are quota. */
  inCurrency: boolean;
  quotaPerUnit: number;
  /** Local currency for one unit. */
  price: number;
  /** TopupGroupRatio of the buyer's group; 0 or missing counts as 1 (contract §10.1). */
  groupRatio: number | undefined;
  /** Units. */
  minUnits: number;
};

export type Payable = {
  /** What the order credits. */
  quota: Quota;
  /** Hundredths of the currency. */
  cents: number;
};

/** The least amount that may be asked for, in the unit of the amount. */
export function minimumAmount(rule: Pick<PriceRule, "inCurrency" | "quotaPerUnit" | "minUnits">): number {
  return rule.inCurrency ? rule.minUnits : Math.ceil(rule.minUnits * rule.quotaPerUnit);
}

/**
 * What an amount costs and credits (contract §10.1). The fraction of a unit counts for both sides alike, so that nobody
 * pays for what is not credited. `amount` is a positive whole number. Throws RangeError beyond 2^53.
 */
export function payableFor(amount: number, rule: PriceRule): Payable {
  const perUnit = toDecimal(rule.quotaPerUnit);
  const whole = BigInt(amount);
  const quota = rule.inCurrency ? divideRounding(whole * perUnit, DECIMAL_ONE) : whole;
  const ratio = toDecimal(rule.groupRatio ? rule.groupRatio : 1);
  const price = toDecimal(rule.price);
  // cents = units × price × ratio × 100, units = amount or amount / quotaPerUnit
  const scaled = whole * price * ratio * 100n;
  const cents = rule.inCurrency
    ? divideRounding(scaled, DECIMAL_ONE * DECIMAL_ONE)
    : divideRounding(scaled, perUnit * DECIMAL_ONE);
  return { quota: toQuota(Number(quota)), cents: Number(cents) };
}

/** Hundredths as a text with two decimals, e.g. 730 → "7.30". */
export function formatCents(cents: number): string {
  return `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;
}
