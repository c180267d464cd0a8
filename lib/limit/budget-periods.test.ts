import { expect, test } from "vitest";
import { budgetPeriods } from "./budget-periods";

const at = (text: string): number => Date.parse(text) / 1_000;

test.each([
  // 2026-11-22 is a Sunday.
  ["UTC", "2026-11-22T23:59:59Z", ["2026-11-22T00:00Z", "2026-11-16T00:00Z", "2026-11-01T00:00Z"]],
  ["UTC", "2026-11-23T00:00:00Z", ["2026-11-23T00:00Z", "2026-11-23T00:00Z", "2026-11-01T00:00Z"]],
  [
    "Asia/Shanghai",
    "2026-11-30T16:00:00Z",
    ["2026-12-01T00:00+08:00", "2026-11-30T00:00+08:00", "2026-12-01T00:00+08:00"],
  ],
  [
    "Asia/Kolkata",
    "2026-11-22T18:29:59Z",
    ["2026-11-22T00:00+05:30", "2026-11-16T00:00+05:30", "2026-11-01T00:00+05:30"],
  ],
  // The clocks went forward on 2026-03-29 and back on 2026-10-25.
  [
    "Europe/Berlin",
    "2026-03-30T10:00:00Z",
    ["2026-03-30T00:00+02:00", "2026-03-30T00:00+02:00", "2026-03-01T00:00+01:00"],
  ],
  [
    "Europe/Berlin",
    "2026-10-25T22:30:00Z",
    ["2026-10-25T00:00+02:00", "2026-10-19T00:00+02:00", "2026-10-01T00:00+02:00"],
  ],
])("in %s at %s", (zone, now, starts) => {
  const { day, week, month } = budgetPeriods(at(now), zone);
  expect([day.start, week.start, month.start]).toEqual(starts.map(at));
});

test("a day that begins without a midnight begins when the clocks are put forward", () => {
  // In Havana 2026-03-08 begins at 01:00.
  const before = budgetPeriods(at("2026-03-07T23:30:00-05:00"), "America/Havana").day;
  expect(before).toEqual({ start: at("2026-03-07T00:00-05:00"), end: at("2026-03-08T01:00-04:00") });
  expect(budgetPeriods(before.end, "America/Havana").day.start).toBe(before.end);
});

test("every moment lies in its periods, and the next one begins where one ends", () => {
  for (const zone of [
    "UTC",
    "America/New_York",
    "Asia/Kathmandu",
    "Pacific/Apia",
    "America/Havana",
    "America/Santiago",
  ]) {
    for (let now = at("2026-01-01T00:00Z"); now < at("2027-01-01T00:00Z"); now += 86_400 * 3 + 5_431) {
      for (const period of ["day", "week", "month"] as const) {
        const { start, end } = budgetPeriods(now, zone)[period];
        expect(start).toBeLessThanOrEqual(now);
        expect(end).toBeGreaterThan(now);
        expect(budgetPeriods(end, zone)[period].start).toBe(end);
      }
    }
  }
});
