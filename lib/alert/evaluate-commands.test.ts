import { expect, test } from "vitest";
import { type AlertState, isMet, nextStep } from "./evaluate-commands";

const condition = { comparison: "above", threshold: 500, minRequests: 10 } as const;
const quiet: AlertState = { firing: null, notifiedAt: 0, mutedUntil: 0, coolDownSeconds: 3_600, tellsResolved: true };
const NOW = 1_000_000;

test("a condition is met beyond the threshold, and unknown with too few requests or without a value", () => {
  expect(isMet(condition, { value: 501, requests: 10 })).toBe(true);
  expect(isMet(condition, { value: 500, requests: 10 })).toBe(false);
  expect(isMet({ ...condition, comparison: "below" }, { value: 499, requests: 10 })).toBe(true);
  expect(isMet(condition, { value: 9_999, requests: 9 })).toBe(null);
  expect(isMet(condition, { value: null, requests: 99 })).toBe(null);
});

test("it fires once, and again only after the cool-down", () => {
  expect(nextStep(quiet, true, NOW)).toEqual({ kind: "fire", tells: true });
  expect(nextStep({ ...quiet, firing: { notified: true } }, true, NOW)).toEqual({ kind: "none" });
  const again = { ...quiet, notifiedAt: NOW - 3_599 };
  expect(nextStep(again, true, NOW)).toEqual({ kind: "fire", tells: false });
  expect(nextStep({ ...again, firing: { notified: false } }, true, NOW)).toEqual({ kind: "none" });
  expect(nextStep({ ...again, firing: { notified: false } }, true, NOW + 1)).toEqual({ kind: "tell" });
});

test("what was never told is not told as resolved, and unknown changes nothing", () => {
  const told = { ...quiet, firing: { notified: true } };
  expect(nextStep(told, false, NOW)).toEqual({ kind: "resolve", tells: true });
  expect(nextStep({ ...told, tellsResolved: false }, false, NOW)).toEqual({ kind: "resolve", tells: false });
  expect(nextStep({ ...quiet, firing: { notified: false } }, false, NOW)).toEqual({ kind: "resolve", tells: false });
  expect(nextStep(told, null, NOW)).toEqual({ kind: "none" });
  expect(nextStep(quiet, false, NOW)).toEqual({ kind: "none" });
});

test("a muted rule fires and ends silently", () => {
  const muted = { ...quiet, mutedUntil: NOW + 1 };
  expect(nextStep(muted, true, NOW)).toEqual({ kind: "fire", tells: false });
  expect(nextStep({ ...muted, firing: { notified: true } }, false, NOW)).toEqual({ kind: "resolve", tells: false });
  expect(nextStep({ ...muted, firing: { notified: false } }, true, NOW + 1)).toEqual({ kind: "tell" });
});
