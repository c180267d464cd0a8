import { expect, test } from "vitest";
import type { Answer, Report } from "../answers/answer";
import { type DrainLimits, UpstreamDrains } from "./upstream-drains";

/** An answer that grows by `add`. */
function growing() {
  const usage = { promptTokens: 1, completionTokens: 1, cachedTokens: 0, cacheWriteTokens: 0 };
  let text = "";
  const report = (): Report => ({
    usage: usage as Report["usage"],
    finishReason: null,
    isComplete: false,
    textBytes: () => text.length,
    textLength: () => ({ asciiBytes: text.length, otherBytes: 0 }),
    sample: () => ({
      countable: { texts: [text], extra: 0 },
      isAll: true,
      length: { asciiBytes: text.length, otherBytes: 0 },
    }),
  });
  const add = (more: string): void => {
    text += more;
    usage.completionTokens += 1;
  };
  return { answer: { report } as Answer, add };
}

const LIMITS: DrainLimits = { ms: 1_000, bytes: 100, count: 2 };
const drainsWith = (limits: Partial<DrainLimits>): UpstreamDrains =>
  new UpstreamDrains(() => ({ ...LIMITS, ...limits }));

test("what was delivered stays what it was while more arrives, so that a journal entry charges no more", () => {
  const { answer, add } = growing();
  add("seen");
  const drain = drainsWith({}).begin(answer);
  add(" unseen");
  expect(drain?.delivered.usage?.completionTokens).toBe(2);
  expect([drain?.delivered.textBytes(), drain?.delivered.textLength().asciiBytes]).toEqual([4, 4]);
  expect(drain?.delivered.sample().countable.texts).toEqual(["seen"]);
  expect(drain?.end(true).report.textBytes()).toBe(11);
});

test("no more streams than allowed are drained at once; one that ended makes room", () => {
  const drains = drainsWith({});
  const { answer } = growing();
  const first = drains.begin(answer);
  expect(drains.begin(answer)).not.toBeNull();
  expect(drains.begin(answer)).toBeNull();
  first?.end(false);
  expect(drains.begin(answer)).not.toBeNull();
});

test.each(["ms", "bytes", "count"] as const)("with %s of 0 nothing is drained", (name) => {
  expect(drainsWith({ [name]: 0 }).begin(growing().answer)).toBeNull();
});

test("bytes and time are bounded", () => {
  const drain = drainsWith({}).begin(growing().answer);
  const now = performance.now();
  expect([drain?.take(100), drain?.take(1)]).toEqual([true, false]);
  expect([drain?.isLate(now + 500), drain?.isLate(now + 1_500)]).toEqual([false, true]);
});

test("a process that stops begins no drain, and gives a running one a second", () => {
  const drains = drainsWith({ ms: 60_000 });
  const drain = drains.begin(growing().answer);
  drains.stop();
  const now = performance.now();
  expect(drains.begin(growing().answer)).toBeNull();
  expect([drain?.isLate(now + 500), drain?.isLate(now + 1_500)]).toEqual([false, true]);
});
