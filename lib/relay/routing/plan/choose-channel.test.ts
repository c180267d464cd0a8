import { describe, expect, test } from "vitest";
import { type Candidate, type Choice, chooseChannel } from "./choose-channel";

/** A seeded random number generator, so that failures can be reproduced. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

const channel = (id: number, weight = 0): Candidate => ({ id, weight });
const choose = (tiers: Candidate[][], rest: Partial<Choice<Candidate>> = {}) =>
  chooseChannel({ tiers, attempt: 0, tried: new Set(), isOpen: () => false, random: seeded(1), ...rest })?.id;

function shares(tiers: Candidate[][], rest: Partial<Choice<Candidate>> = {}): Map<number, number> {
  const random = seeded(7);
  const counts = new Map<number, number>();
  for (let i = 0; i < 10_000; i++) {
    const id = choose(tiers, { ...rest, random }) ?? 0;
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

describe("chooseChannel", () => {
  test("the first attempt goes to the highest priority only (B314)", () => {
    expect([...shares([[channel(1), channel(2)], [channel(3, 100)]]).keys()].sort()).toEqual([1, 2]);
  });

  test("inside a tier channels share by weight + 10, so weight 0 still gets traffic", () => {
    const counts = shares([[channel(1, 0), channel(2, 20)]]);
    expect((counts.get(1) ?? 0) / 10_000).toBeCloseTo(0.25, 1);
    expect((counts.get(2) ?? 0) / 10_000).toBeCloseTo(0.75, 1);
  });

  test("attempt n looks at the n-th tier, and at the last one beyond it", () => {
    const tiers = [[channel(1)], [channel(2)], [channel(3), channel(4)]];
    expect(choose(tiers, { attempt: 1, tried: new Set([1]) })).toBe(2);
    expect([3, 4]).toContain(choose(tiers, { attempt: 2, tried: new Set([1, 2]) }));
    expect(choose(tiers, { attempt: 3, tried: new Set([1, 2, 3]) })).toBe(4);
  });

  test("a channel that was tried is not chosen again", () => {
    expect(choose([[channel(1), channel(2)]], { attempt: 1, tried: new Set([1]) })).toBe(2);
    expect(choose([[channel(1)], [channel(2)]], { attempt: 1, tried: new Set([2]) })).toBe(1);
    expect(choose([[channel(1)]], { attempt: 1, tried: new Set([1]) })).toBeUndefined();
  });

  test("a channel that cools down comes last, in any tier, but before none at all", () => {
    const isOpen = (id: number) => id === 1;
    expect(choose([[channel(1, 1_000), channel(2)]], { isOpen })).toBe(2);
    expect(choose([[channel(1)], [channel(2)]], { isOpen })).toBe(2);
    expect(choose([[channel(1)]], { isOpen })).toBe(1);
  });

  test("without channels there is no choice", () => {
    expect(choose([])).toBeUndefined();
  });
});
