import { expect, test } from "vitest";
import { bucketLabel, fromZonedField, toZonedField } from "./zone";

const at = (text: string) => Date.parse(text) / 1000;

test("a moment is shown and read in the chosen zone, also with half hours and where the clock changes", () => {
  for (const [moment, zone, text] of [
    ["2026-01-01T00:30:00Z", "Asia/Shanghai", "2026-01-01T08:30"],
    ["2026-01-01T00:30:00Z", "Asia/Kolkata", "2026-01-01T06:00"],
    ["2025-12-31T23:30:00Z", "America/New_York", "2025-12-31T18:30"],
    ["2026-03-29T01:30:00Z", "Europe/Berlin", "2026-03-29T03:30"],
    ["2026-07-01T12:00:00Z", "UTC", "2026-07-01T12:00"],
  ] as const) {
    expect(toZonedField(at(moment), zone)).toBe(text);
    expect(fromZonedField(text, zone)).toBe(at(moment));
  }
  expect(fromZonedField("", "UTC")).toBeNull();
  // This hour is skipped there when daylight saving time starts.
  expect(fromZonedField("2026-03-29T02:30", "Europe/Berlin")).toBe(at("2026-03-29T01:30:00Z"));
});

test("buckets are named by hour, day and week of the zone (B308)", () => {
  const monday = at("2025-12-28T16:00:00Z");
  expect(bucketLabel(monday, "hour", "Asia/Shanghai")).toBe("12-29 00:00");
  expect(bucketLabel(monday, "day", "Asia/Shanghai")).toBe("12-29");
  expect(bucketLabel(monday, "week", "Asia/Shanghai")).toBe("12-29 - 01-04");
});
