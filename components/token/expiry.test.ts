import { expect, test } from "vitest";
import { expiryFromNow, QUICK_EXPIRY, readExpiry, toExpiryText } from "./expiry";

const NOW = Date.UTC(2026, 4, 1, 12, 0, 0);

test("an expiry is typed as yyyy-MM-dd HH:mm:ss in local time and comes back as it was (B190)", () => {
  const seconds = readExpiry("2030-02-03 04:05:06");
  expect(seconds).toBe(new Date(2030, 1, 3, 4, 5, 6).getTime() / 1000);
  expect(toExpiryText(seconds ?? 0)).toBe("2030-02-03 04:05:06");
});

test.each(["tomorrow", "2030-13-01 00:00:00", "2030-02-31 00:00:00", "2030-01-01 24:00:00", "2030-1-1", "-2"])(
  "%s is no date (B190)",
  (text) => {
    expect(readExpiry(text)).toBeNull();
  },
);

test("nothing and -1 mean never (B142, B190)", () => {
  expect([readExpiry(""), readExpiry(" -1 ")]).toEqual([-1, -1]);
  expect(toExpiryText(-1)).toBe("");
});

test("the five quick choices are a minute, an hour, a day, 30 days and never (B081, B287)", () => {
  const left = Object.values(QUICK_EXPIRY).map((seconds) => {
    const text = expiryFromNow(seconds, NOW);
    return text === "" ? null : (readExpiry(text) ?? 0) - NOW / 1000;
  });
  expect(left).toEqual([null, 2_592_000, 86_400, 3_600, 60]);
});
