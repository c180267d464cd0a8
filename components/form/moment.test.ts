import { expect, test } from "vitest";
import { readMoment, toMomentText } from "./moment";

test("a moment that was written can be read again, with or without a colon and a leading zero", () => {
  const seconds = Math.floor(new Date(2026, 10, 23, 7, 5).getTime() / 1000);
  expect(toMomentText(seconds)).toEqual({ date: "2026-11-23", time: "07:05" });
  for (const time of ["07:05", "7:05", "705", "0705"]) expect(readMoment({ date: "2026-11-23", time })).toBe(seconds);
});

test("a date alone is its midnight, nothing is nothing, anything else is refused", () => {
  const midnight = Math.floor(new Date(2026, 10, 23).getTime() / 1000);
  expect(readMoment({ date: "2026-11-23", time: "" })).toBe(midnight);
  expect(readMoment(toMomentText(null))).toBeNull();
  for (const [date, time] of [
    ["2026-11-23", "25:00"],
    ["2026-11-23", "12:60"],
    ["2026-11-23", "noon"],
    ["2026-13-40", "12:00"],
    ["", "12:00"],
  ] as const)
    expect(readMoment({ date, time })).toBeUndefined();
});
