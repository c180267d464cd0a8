import { expect, test } from "vitest";
import { HedgeShare } from "./hedge-share";

function hedgesOf(requests: number, percent: number, share = new HedgeShare()): number {
  let hedges = 0;
  for (let i = 0; i < requests; i++) {
    share.count(percent);
    if (!share.hasRoom) continue;
    share.take();
    hedges += 1;
  }
  return hedges;
}

test.each([
  [19, 5, 0],
  [20, 5, 1],
  [1_000, 5, 50],
  [1_000, 100, 1_000],
  [1_000, 0, 0],
])("of %i requests with a share of %i percent, %i are hedged", (requests, percent, hedges) => {
  expect(hedgesOf(requests, percent)).toBe(hedges);
});

test("a long quiet time saves ten at most", () => {
  const share = new HedgeShare();
  for (let i = 0; i < 10_000; i++) share.count(5);
  expect(hedgesOf(100, 0, share)).toBe(10);
});
