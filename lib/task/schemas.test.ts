import { expect, test } from "vitest";
import { defaultDrawingWindow } from "@/lib/drawing/schemas";
import { defaultTaskWindow } from "./schemas";

const at = (text: string) => Date.parse(text) / 1000;

test("tasks are shown from the start of the reader's day to the end of this minute (B296)", () => {
  const now = at("2026-03-10T20:30:45Z");
  expect(defaultTaskWindow(now, "UTC")).toEqual({ start: at("2026-03-10T00:00:00Z"), end: at("2026-03-10T20:30:59Z") });
  expect(defaultTaskWindow(now, "Asia/Shanghai").start).toBe(at("2026-03-10T16:00:00Z"));
  expect(defaultTaskWindow(now, "America/Los_Angeles").start).toBe(at("2026-03-10T07:00:00Z"));
  expect(defaultTaskWindow(now, "Asia/Kathmandu").start).toBe(at("2026-03-10T18:15:00Z"));
  expect(defaultTaskWindow(now, "no/zone").start).toBe(at("2026-03-10T00:00:00Z"));
});

test("the day begins at midnight also when the clocks changed in it (B296)", () => {
  // Berlin: forward at 2:00 on 29 March 2026, back at 3:00 on 25 October 2026.
  expect(defaultTaskWindow(at("2026-03-29T12:00:00Z"), "Europe/Berlin").start).toBe(at("2026-03-28T23:00:00Z"));
  expect(defaultTaskWindow(at("2026-10-25T12:00:00Z"), "Europe/Berlin").start).toBe(at("2026-10-24T22:00:00Z"));
});

test("drawings are shown from 30 days back to the end of this minute (B295)", () => {
  const now = at("2026-03-31T12:00:30Z");
  expect(defaultDrawingWindow(now)).toEqual({ start: at("2026-03-01T12:00:00Z"), end: at("2026-03-31T12:00:59Z") });
});
