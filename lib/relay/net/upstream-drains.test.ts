import { expect, test } from "vitest";
import type { Answer, Report } from "../answers/answer";
import { type DrainLimits, type LeftAnswer, UpstreamDrains } from "./upstream-drains";

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

const LIMITS: DrainLimits = { ms: 1_000, unseenMs: 5_000, bytes: 100, count: 2, countOfUser: 2 };
const SHOWN: LeftAnswer = { userId: 1, isShown: true, isStream: true };
const drainsWith = (limits: Partial<DrainLimits>): UpstreamDrains =>
  new UpstreamDrains(() => ({ ...LIMITS, ...limits }));

test("what was delivered stays what it was while more arrives, so that a journal entry charges no more", () => {
  const { answer, add } = growing();
  add("seen");
  const drain = drainsWith({}).begin(answer, SHOWN);
  add(" unseen");
  expect(drain?.delivered?.usage?.completionTokens).toBe(2);
  expect([drain?.delivered?.textBytes(), drain?.delivered?.textLength().asciiBytes]).toEqual([4, 4]);
  expect(drain?.delivered?.sample().countable.texts).toEqual(["seen"]);
  expect(drain?.end(true).report.textBytes()).toBe(11);
});

test("no more streams than allowed are drained at once; one that ended makes room", () => {
  const drains = drainsWith({});
  const { answer } = growing();
  const first = drains.begin(answer, SHOWN);
  expect(drains.begin(answer, SHOWN)).not.toBeNull();
  expect(drains.begin(answer, SHOWN)).toBeNull();
  first?.end(false);
  expect(drains.begin(answer, SHOWN)).not.toBeNull();
});

test("one user's answers leave room for those of others", () => {
  const drains = drainsWith({ count: 3, countOfUser: 2 });
  const { answer } = growing();
  const [first, second, third] = [1, 1, 1].map((userId) => drains.begin(answer, { ...SHOWN, userId }));
  expect([first, second].includes(null)).toBe(false);
  expect(third).toBeNull();
  expect(drains.begin(answer, { ...SHOWN, userId: 2 })).not.toBeNull();
  first?.end(true);
  expect(drains.begin(answer, SHOWN)).not.toBeNull();
});

test("what nobody has seen is drained for longer, and a whole answer whatever its length", () => {
  const drains = drainsWith({ count: 10, countOfUser: 10 });
  const { answer } = growing();
  const now = performance.now();
  const lateAfter2s = (left: Partial<LeftAnswer>) => drains.begin(answer, { ...SHOWN, ...left })?.isLate(now + 2_000);
  expect([lateAfter2s({}), lateAfter2s({ isShown: false })]).toEqual([true, false]);
  const whole = drains.begin(answer, { ...SHOWN, isShown: false, isStream: false });
  expect([whole?.delivered, whole?.take(1_000_000)]).toEqual([null, true]);
});

test.each(["ms", "bytes", "count", "countOfUser"] as const)("with %s of 0 nothing is drained", (name) => {
  expect(drainsWith({ [name]: 0 }).begin(growing().answer, SHOWN)).toBeNull();
});

test("bytes and time are bounded", () => {
  const drain = drainsWith({}).begin(growing().answer, SHOWN);
  const now = performance.now();
  expect([drain?.take(100), drain?.take(1)]).toEqual([true, false]);
  expect([drain?.isLate(now + 500), drain?.isLate(now + 1_500)]).toEqual([false, true]);
});

test("a process that stops begins no drain, and gives a running one a second", () => {
  const drains = drainsWith({ ms: 60_000 });
  const drain = drains.begin(growing().answer, SHOWN);
  drains.stop();
  const now = performance.now();
  expect(drains.begin(growing().answer, SHOWN)).toBeNull();
  expect([drain?.isLate(now + 500), drain?.isLate(now + 1_500)]).toEqual([false, true]);
});
