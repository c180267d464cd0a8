import { expect, test } from "vitest";
import { Positions } from "./watched-replica";

function written(...samples: [at: number, position: number][]): Positions {
  const positions = new Positions(10_000);
  for (const [at, position] of samples) positions.add(at, position);
  return positions;
}

test("what was written by a time is what was known then, or the oldest that is known", () => {
  expect(written().by(5)).toBeNull();
  const positions = written([1_000, 10], [2_000, 20], [3_000, 30]);
  expect([0, 1_000, 2_500, 9_000].map((at) => positions.by(at))).toEqual([10, 10, 20, 30]);
});

test("a replica lags since the first moment that it lacks, and not at all while nothing is written", () => {
  const positions = written([1_000, 10], [2_000, 20], [3_000, 20]);
  expect(positions.lagMs(3_000, 20)).toBe(0);
  expect(positions.lagMs(60_000, 25)).toBe(0);
  expect(positions.lagMs(3_500, 10)).toBe(1_500);
});

test("old samples go, one older than the period stays, and after a fail-over that lost the end only the new ones count", () => {
  const positions = written([1_000, 10], [2_000, 20], [13_000, 30]);
  expect(positions.by(1_500)).toBe(20);
  positions.add(14_000, 25);
  expect(positions.by(13_500)).toBe(25);
});
