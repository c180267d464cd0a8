import { expect, test } from "vitest";
import { durationText } from "./limited-request";

test.each([
  [0, "0ms"],
  [0.35, "350ms"],
  [7.25, "7.3s"],
  [60, "1m0s"],
  [372, "6m12s"],
  [3_600, "1h0m0s"],
])("%d seconds are worded %s", (seconds, text) => expect(durationText(seconds)).toBe(text));
