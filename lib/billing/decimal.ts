/** Ratios and prices are taken as decimals with so many places, so that charges are exact and can be recomputed. */
const PLACES = 12;

/** One, in the whole units in which decimals are counted here. */
export const DECIMAL_ONE = 10n ** BigInt(PLACES);

const known = new Map<number, bigint>();

/** A ratio or price as a whole number of 10^-12. Below zero and what is no number counts as zero. */
export function toDecimal(value: number): bigint {
  const seen = known.get(value);
  if (seen !== undefined) return seen;
  const usable = Number.isFinite(value) && value > 0 ? Math.min(value, 1e12) : 0;
  const decimal = BigInt(usable.toFixed(PLACES).replace(".", ""));
  // Products of ratios are as many as the operator's price list; the bound is for the rest.
  if (known.size >= 10_000) known.clear();
  known.set(value, decimal);
  return decimal;
}

/** dividend / divisor rounded to the nearest whole number, a half up; both are positive. */
export function divideRounding(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor);
}
