const DIGITS_MIN = 2;
const DIGITS_MAX = 6;

/** Decimals that tell the ticks of an axis apart whose largest amount (in currency units) this is. */
export function axisDigits(largest: number): number {
  if (!(largest > 0)) return DIGITS_MIN;
  return Math.min(DIGITS_MAX, Math.max(DIGITS_MIN, 2 - Math.floor(Math.log10(largest))));
}
