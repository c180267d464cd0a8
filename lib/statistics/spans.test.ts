import fc from "fast-check";
import { expect, test } from "vitest";
import { coverWindow, SPAN_HOURS } from "./spans";

const HOUR = 3_600;
const DAY = 24 * HOUR;
const hours = fc.integer({ min: 0, max: 20_000 });
const days = fc.integer({ min: 0, max: 900 });

test("spans and at most two stretches cover a window exactly, without an overlap", () => {
  fc.assert(
    fc.property(
      hours,
      hours,
      hours,
      days,
      fc.integer({ min: 0, max: HOUR - 1 }),
      (first, length, until, day, extra) => {
        const [from, to] = [first * HOUR, (first + length) * HOUR + extra];
        const summed = { until: until * HOUR, shortestFrom: day * DAY, usersUntil: 0 };
        const { spans, rest } = coverWindow(from, to, summed);
        const parts = [
          ...spans.map((span) => ({ from: span.start, until: span.start + span.hours * HOUR })),
          ...rest,
        ].sort((a, b) => a.from - b.from);
        let at = from;
        for (const part of parts) {
          expect(part.from).toBe(at);
          expect(part.until).toBeGreaterThan(part.from);
          at = part.until;
        }
        expect(at).toBe(to);
        for (const span of spans) {
          expect(span.start % (span.hours * HOUR)).toBe(0);
          expect(span.start + span.hours * HOUR).toBeLessThanOrEqual(summed.until);
          if (span.hours === SPAN_HOURS[0]) expect(span.start).toBeGreaterThanOrEqual(summed.shortestFrom);
        }
        // Few spans, however long the window is: at either end, fewer of each length than make up one of the next length.
        const [shortest, short, long, longest] = SPAN_HOURS;
        const atEnds = short / shortest - 1 + (long / short - 1) + (longest / long - 1);
        expect(spans.length).toBeLessThanOrEqual(2 * atEnds + length / longest);
        expect(rest.length).toBeLessThanOrEqual(2);
      },
    ),
  );
});

test("a window that the sums do not reach is one stretch", () => {
  const summed = { until: 0, shortestFrom: 0, usersUntil: 0 };
  expect(coverWindow(DAY, 4 * DAY, summed)).toEqual({ spans: [], rest: [{ from: DAY, until: 4 * DAY }] });
});
