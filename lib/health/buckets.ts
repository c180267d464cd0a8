/** Upper bounds in ms; values at or above the last bound go into one extra bucket. */
export const BUCKET_BOUNDS_MS = [
  100, 200, 300, 500, 800, 1_200, 2_000, 3_000, 5_000, 8_000, 12_000, 20_000, 30_000, 60_000, 120_000, 300_000,
] as const;

export const BUCKET_COUNT = BUCKET_BOUNDS_MS.length + 1;

/**
 * The value in ms below which a share (0–1) of the measurements lies, interpolated linearly within its bucket; null
 * without measurements. Never above the last bound.
 */
export function percentile(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const wanted = share * total;
  let below = 0;
  for (let i = 0; i < BUCKET_BOUNDS_MS.length; i++) {
    const count = counts[i] ?? 0;
    if (count > 0 && below + count >= wanted) {
      const lower = BUCKET_BOUNDS_MS[i - 1] ?? 0;
      const upper = BUCKET_BOUNDS_MS[i] ?? lower;
      return Math.round(lower + ((upper - lower) * Math.max(0, wanted - below)) / count);
    }
    below += count;
  }
  return BUCKET_BOUNDS_MS.at(-1) ?? null;
}

export function addBuckets(a: readonly number[], b: readonly number[]): number[] {
  return Array.from({ length: BUCKET_COUNT }, (_, i) => (a[i] ?? 0) + (b[i] ?? 0));
}
