const DIGITS_MIN = 2;
const DIGITS_MAX = 6;

/** Number of decimals for the axis ticks, given the largest amount in currency units. */
export function axisDigits(largest: number): number {
  if (!(largest > 0)) return DIGITS_MIN;
  return Math.min(DIGITS_MAX, Math.max(DIGITS_MIN, 2 - Math.floor(Math.log10(largest))));
}
