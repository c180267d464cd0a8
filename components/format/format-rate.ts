/** A rate from 0 to 1 as a percentage, rounded down: it shows 100% only when nothing failed. */
export function formatRate(rate: number): string {
  return `${(Math.floor(rate * 1_000) / 10).toFixed(rate === 1 ? 0 : 1)}%`;
}
