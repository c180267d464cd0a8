import { expect, test } from "vitest";
import { startOfWeek } from "./local-day";
import { resolveTimes } from "./time-range";

const at = (text: string) => Date.parse(text) / 1000;
const none = { start: null, end: null };

test("a named period ends now and moves with the time", () => {
  const now = at("2026-11-25T10:00:00Z");
  expect(resolveTimes({ range: "15m", ...none }, now, "UTC")).toEqual({ start: now - 900, end: null });
  expect(resolveTimes({ range: "24h", ...none }, now + 60, "UTC")).toEqual({ start: now + 60 - 86_400, end: null });
  expect(resolveTimes({ range: "7d", ...none }, now, "UTC")).toEqual({ start: now - 7 * 86_400, end: null });
});

test("this week begins on Monday at midnight where the user is", () => {
  const sundayEvening = at("2026-11-22T23:30:00Z");
  const week = (timeZone: string) => resolveTimes({ range: "week", ...none }, sundayEvening, timeZone).start;
  expect(week("UTC")).toBe(at("2026-11-16T00:00:00Z"));
  expect(week("Asia/Shanghai")).toBe(at("2026-11-23T00:00:00+08:00"));
  expect(week("America/New_York")).toBe(at("2026-11-16T00:00:00-05:00"));
  expect(week("No/Where")).toBe(at("2026-11-16T00:00:00Z"));
});

test("this week begins at midnight also when the clocks changed since", () => {
  expect(startOfWeek(at("2026-10-25T12:00:00Z"), "Europe/Berlin")).toBe(at("2026-10-19T00:00:00+02:00"));
  expect(startOfWeek(at("2026-03-29T12:00:00Z"), "Europe/Berlin")).toBe(at("2026-03-23T00:00:00+01:00"));
});

test("a start or end of its own counts, not the named period", () => {
  expect(resolveTimes({ range: "24h", start: 5, end: null }, 1_000_000, "UTC")).toEqual({ start: 5, end: null });
  expect(resolveTimes({ range: null, start: null, end: 9 }, 1_000_000, "UTC")).toEqual({ start: null, end: 9 });
});
