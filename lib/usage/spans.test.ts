import fc from "fast-check";
import { expect, test } from "vitest";
import { coverWindow, SPAN_HOURS } from "./spans";

const HOUR = 3_600;
const hours = fc.integer({ min: 0, max: 20_000 });

test("spans and stretches cover a window exactly, without an overlap", () => {
  fc.assert(
    fc.property(hours, hours, hours, fc.integer({ min: 0, max: HOUR - 1 }), (first, length, summed, extra) => {
      const from = first * HOUR;
      const until = from + length * HOUR + extra;
      const { spans, rest } = coverWindow(from, until, summed * HOUR);
      const parts = [
        ...spans.map(({ hours: span, start }) => ({ from: start, until: start + span * HOUR })),
        ...rest,
      ].sort((a, b) => a.from - b.from);
      let at = from;
      for (const part of parts) {
        expect(part.from).toBe(at);
        expect(part.until).toBeGreaterThan(part.from);
        at = part.until;
      }
      expect(at).toBe(until);
      for (const { hours: span, start } of spans) {
        expect(start % (span * HOUR)).toBe(0);
        expect(start + span * HOUR).toBeLessThanOrEqual(summed * HOUR);
      }
      // Few of them, however long the window is: at most three of each shorter length at either end.
      const longest = SPAN_HOURS[SPAN_HOURS.length - 1] ?? 1;
      expect(spans.length).toBeLessThanOrEqual(12 + length / longest);
      expect(rest.length).toBeLessThanOrEqual(2);
    }),
  );
});

test("a window that the sums do not reach is one stretch", () => {
  expect(coverWindow(24 * HOUR, 96 * HOUR, 0)).toEqual({ spans: [], rest: [{ from: 24 * HOUR, until: 96 * HOUR }] });
});
