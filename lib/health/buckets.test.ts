import fc from "fast-check";
import { expect, test } from "vitest";
import { addBuckets, BUCKET_BOUNDS_MS, BUCKET_COUNT, percentile } from "./buckets";

test("a percentile lies in the bucket that holds the measurement of that rank", () => {
  const measurements = fc.array(fc.integer({ min: 0, max: 299_999 }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(measurements, fc.constantFrom(0.5, 0.9, 0.95, 0.99), (times, share) => {
      const counts = new Array<number>(BUCKET_COUNT).fill(0);
      const bucketOf = (ms: number) => BUCKET_BOUNDS_MS.filter((bound) => bound <= ms).length;
      for (const ms of times) counts[bucketOf(ms)] = (counts[bucketOf(ms)] ?? 0) + 1;
      const sorted = [...times].sort((a, b) => a - b);
      const exact = sorted[Math.max(0, Math.ceil(share * times.length) - 1)] ?? 0;
      const found = percentile(counts, share) ?? Number.NaN;
      const bucket = bucketOf(exact);
      expect(found).toBeGreaterThanOrEqual(BUCKET_BOUNDS_MS[bucket - 1] ?? 0);
      expect(found).toBeLessThanOrEqual(BUCKET_BOUNDS_MS[bucket] ?? Number.POSITIVE_INFINITY);
    }),
  );
});

test("nothing measured is no figure, not 0", () => {
  expect(percentile([], 0.5)).toBeNull();
  expect(percentile(new Array(BUCKET_COUNT).fill(0), 0.95)).toBeNull();
});

test("counts add up bucket by bucket, short ones as if filled with 0", () => {
  expect(addBuckets([1, 2], [3]).slice(0, 3)).toEqual([4, 2, 0]);
});
