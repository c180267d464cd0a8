import { expect, test } from "vitest";
import { axisTop, barAt, labelledBars } from "./bar-scale";

test("an axis ends at or above its largest value, at a round number with a whole half", () => {
  expect([0, 1, 2, 3, 9, 10, 11, 41, 99, 100, 101, 12_345].map(axisTop)).toEqual([
    2, 2, 2, 4, 10, 10, 20, 60, 100, 100, 200, 20_000,
  ]);
});

test("the pointer is over the bar that is drawn there, and beside the bars over the one at that end", () => {
  expect([0, 9, 10, 599, 600, 900, -50].map((offset) => barAt(offset, 600, 60))).toEqual([0, 0, 1, 59, 59, 59, 0]);
  expect(barAt(10, 600, 1)).toBe(0);
});

test("at most six bars have a label, the first among them", () => {
  expect(labelledBars(1)).toEqual([0]);
  expect(labelledBars(6)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(labelledBars(24)).toEqual([0, 4, 8, 12, 16, 20]);
  expect(labelledBars(61)).toEqual([0, 11, 22, 33, 44, 55]);
  expect(labelledBars(0)).toEqual([]);
});
