import { expect, test } from "vitest";
import { readRetryAfter } from "./retry-after";

const now = Date.parse("Sun, 22 Nov 2026 11:00:00 GMT");

test.each([
  ["2", 2_000],
  [" 0.5 ", 500],
  ["Sun, 22 Nov 2026 11:00:03 GMT", 3_000],
  ["0", null],
  ["-3", null],
  ["Sun, 22 Nov 2026 10:59:59 GMT", null],
  ["Sun, 22 Nov 2099 11:00:00 GMT", null],
  ["soon", null],
  ["", null],
  [undefined, null],
])("%s means %s ms", (text, ms) => {
  expect(readRetryAfter(text, now)).toBe(ms);
});
