import { expect, test } from "vitest";
import { RANGES, windowOf } from "./ranges";

const at = (text: string) => Date.parse(text) / 1_000;
const dates = (range: (typeof RANGES)[number], now: string, zone: string) => {
  const { from, until } = windowOf(range, at(now), zone);
  return [from, until].map((seconds) => new Date(seconds * 1_000).toISOString().slice(0, 16));
};

test("rolling windows end with the running minute, not an hour ahead", () => {
  expect(dates("15m", "2026-03-01T10:20:30Z", "UTC")).toEqual(["2026-03-01T10:05", "2026-03-01T10:21"]);
  expect(dates("24h", "2026-03-01T10:20:30Z", "UTC")).toEqual(["2026-02-28T10:20", "2026-03-01T10:21"]);
  expect(dates("7d", "2026-03-01T10:20:30Z", "UTC")).toEqual(["2026-02-22T10:20", "2026-03-01T10:21"]);
});

test("this week begins on Monday and this month on its first day, at midnight of the time zone", () => {
  // A Sunday evening in London is Monday morning in Shanghai.
  expect(dates("week", "2026-03-01T20:00:00Z", "Europe/London")[0]).toBe("2026-02-23T00:00");
  expect(dates("week", "2026-03-01T20:00:00Z", "Asia/Shanghai")[0]).toBe("2026-03-01T16:00");
  expect(dates("month", "2026-02-28T20:00:00Z", "UTC")[0]).toBe("2026-02-01T00:00");
  expect(dates("month", "2026-02-28T20:00:00Z", "Asia/Shanghai")[0]).toBe("2026-02-28T16:00");
  // Clocks go forward on 29 March in Berlin: the month begins in winter time.
  expect(dates("month", "2026-03-30T12:00:00Z", "Europe/Berlin")[0]).toBe("2026-02-28T23:00");
});

test("every window is whole minutes and ends after now", () => {
  const now = at("2026-05-17T03:04:05Z");
  for (const range of RANGES) {
    const { from, until } = windowOf(range, now, "America/New_York");
    expect([from % 60, until % 60]).toEqual([0, 0]);
    expect(until).toBeGreaterThan(now);
    expect(from).toBeLessThan(now);
  }
});
