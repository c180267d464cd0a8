/** Decimal places of ratios and prices. A fixed number makes charges exact and reproducible. */
const PLACES = 12;

/** The number 1 in units of 10^-12. */
export const DECIMAL_ONE = 10n ** BigInt(PLACES);

const known = new Map<number, bigint>();

/** A ratio or price in whole units of 10^-12. Negative and non-finite values become 0. */
export function toDecimal(value: number): bigint {
  const seen = known.get(value);
  if (seen !== undefined) return seen;
  const decimal = toDecimalOnce(value);
  // Normally the operator's price list limits the number of entries; this bound covers everything else.
  if (known.size >= 10_000) known.clear();
  known.set(value, decimal);
  return decimal;
}

/** The same for numbers that hardly come again, such as quantities; they are not kept. */
export function toDecimalOnce(value: number): bigint {
  const usable = Number.isFinite(value) && value > 0 ? Math.min(value, 1e12) : 0;
  return BigInt(usable.toFixed(PLACES).replace(".", ""));
}

/** dividend / divisor, rounded half up. Both must be positive. */
export function divideRounding(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor);
}
