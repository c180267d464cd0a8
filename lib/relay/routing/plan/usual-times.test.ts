import { expect, test } from "vitest";
import { SAMPLES_LEAST, UsualTimes } from "./usual-times";

const MINUTE = 60_000;

function withTimes(...times: readonly number[]): UsualTimes {
  const usual = new UsualTimes();
  for (const ms of times) usual.add("a", ms, 0);
  return usual;
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

test("with too few answers nothing is usual, also not for another name", () => {
  expect(withTimes(...upTo(SAMPLES_LEAST - 1)).p95("a", 0)).toBeNull();
  expect(withTimes(...upTo(SAMPLES_LEAST)).p95("a", 0)).toBe(19);
  expect(withTimes(...upTo(SAMPLES_LEAST)).p95("b", 0)).toBeNull();
});

test("the latest answers count, whatever came before", () => {
  const usual = withTimes(...upTo(100));
  expect(usual.p95("a", 0)).toBe(95);
  for (let i = 0; i < 128; i++) usual.add("a", 7, 0);
  expect(usual.p95("a", 0)).toBe(7);
});

test("one slow answer of twenty changes nothing, two do", () => {
  const usual = withTimes(...upTo(19).map(() => 10), 9_000);
  expect(usual.p95("a", 0)).toBe(10);
  for (let i = 0; i < 8; i++) usual.add("a", 9_000, 0);
  expect(usual.p95("a", 0)).toBe(9_000);
});

test("times that are ten minutes old say nothing any more", () => {
  const usual = withTimes(...upTo(30));
  expect(usual.p95("a", 10 * MINUTE)).toBe(29);
  expect(usual.p95("a", 10 * MINUTE + 1)).toBeNull();
  usual.add("a", 5, 11 * MINUTE);
  expect(usual.p95("a", 11 * MINUTE)).toBeNull();
});

test("names are bounded: idle ones go first, then the one that was used least lately", () => {
  const usual = new UsualTimes();
  for (const name of upTo(1_000)) usual.add(String(name), 1, 0);
  for (let i = 0; i < SAMPLES_LEAST; i++) usual.add("1", 1, 1);
  usual.add("another", 1, 1);
  expect(usual.size).toBe(1_000);
  expect(usual.p95("1", 1)).toBe(1);
  usual.add("later", 1, 10 * MINUTE + 1);
  expect(usual.size).toBe(3);
});
