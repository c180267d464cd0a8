import { DECIMAL_ONE, divideRounding, toDecimal } from "@/lib/billing/decimal";
import { type Quota, toQuota } from "@/lib/billing/quota";

export type PriceRule = {
  /** True: amounts are units of the currency; false: amounts are quota. */
  inCurrency: boolean;
  quotaPerUnit: number;
  /** Local currency for one unit. */
  price: number;
  /** TopupGroupRatio of the buyer's group; 0 or missing means 1 (contract §10.1). */
  groupRatio: number | undefined;
  /** In units. */
  minUnits: number;
};

export type Payable = {
  /** The amount to credit. */
  quota: Quota;
  /** Hundredths of the currency. */
  cents: number;
};

/** The smallest allowed amount, in the unit of amounts. */
export function minimumAmount(rule: Pick<PriceRule, "inCurrency" | "quotaPerUnit" | "minUnits">): number {
  return rule.inCurrency ? rule.minUnits : Math.ceil(rule.minUnits * rule.quotaPerUnit);
}

/**
 * The price and credit of an amount (contract §10.1). Fractions of a unit are charged and credited alike. `amount` is a
 * positive whole number. Throws RangeError beyond 2^53.
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

/** Hundredths as text with two decimals, e.g. 730 → "7.30". */
export function formatCents(cents: number): string {
  return `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;
}

/** "7.3" or "7.30" → 730; null for anything but an amount with at most two decimals. */
export function readCents(text: string): number | null {
  const match = /^(\d{1,12})(?:\.(\d{1,2})0*)?$/.exec(text.trim());
  if (!match) return null;
  return Number(match[1]) * 100 + Number((match[2] ?? "").padEnd(2, "0"));
}
