import { expect, test } from "vitest";
import type { ProcessSample, Sample } from "./samples";
import { trendOf } from "./trend";
import { type Books, type Facts, problemsOf } from "./verdict";

const HOUR = 3_600;
const SAMPLES = 240;
/** Between two collections a heap rises and falls. */
const SAW_MIB = 6;

const rest = { weir_requests_in_flight: 0, weir_streams_in_flight: 0, weir_settler_queue: 0 };
const books: Books = { differences: [], unbooked: 0, reserved: 0, answered: 100, charged: 100 };
const gateway: ProcessSample = { pid: 10, pssMib: 100, heapMib: 40, descriptors: 60, sockets: 40 };

const sampleOf = (atSeconds: number, more: Partial<ProcessSample> = {}): Sample => ({
  atSeconds,
  processes: new Map([["gateway", { ...gateway, ...more }]]),
  open: { ...rest },
  isWhole: true,
});

/** Two hours of a gateway, whose figures are those of the given time beside the saw. */
function factsOf(at: (hours: number) => Partial<ProcessSample> = () => ({}), more: Partial<Facts> = {}): Facts {
  const samples = Array.from({ length: SAMPLES }, (_, index) => {
    const hours = (2 * (index + 1)) / SAMPLES;
    const sample = sampleOf(hours * HOUR, at(hours));
    const one = sample.processes.get("gateway");
    if (one) one.heapMib += (index % 7) * (SAW_MIB / 7);
    return sample;
  });
  return { samples, before: sampleOf(0), after: sampleOf(2 * HOUR), failed: 0, books, ...more };
}

test("a trend is the slope an hour, with its standard error", () => {
  const line = Array.from({ length: 100 }, (_, index) => ({ atSeconds: index * 60, value: 5 + index / 2 }));
  expect(trendOf(line).perHour).toBeCloseTo(30);
  expect(trendOf(line).error).toBeCloseTo(0);
  // Worked out by hand: the residues are 1/3, -2/3 and 1/3, and the spread is 2.
  const { perHour, error } = trendOf([0, 1, 2].map((at, index) => ({ atSeconds: at, value: [1, 1, 3][index] ?? 0 })));
  expect(perHour / HOUR).toBeCloseTo(1);
  expect(error / HOUR).toBeCloseTo(Math.sqrt(2 / 3 / 2));
});

test("a soak that keeps its size, closes what it opened and books what it answered has no problem", () => {
  expect(problemsOf(factsOf())).toEqual([]);
});

test("what grows in the first tenth, and then no more, is no growth", () => {
  expect(problemsOf(factsOf((hours) => ({ pssMib: hours < 0.2 ? 40 + hours * 300 : 100 })))).toEqual([]);
});

test.each([
  ["heap", factsOf((hours) => ({ heapMib: 40 + hours * 12 })), /heapMib of gateway grows/],
  ["memory beside it", factsOf((hours) => ({ pssMib: 100 + hours * 12 })), /pssMib of gateway grows/],
  ["restarted", factsOf((hours) => ({ pid: hours < 1 ? 10 : 11 })), /gateway did not run all the time/],
  ["descriptors", factsOf(undefined, { after: sampleOf(2 * HOUR, { descriptors: 90 }) }), /30 descriptors more/],
  [
    "streams",
    factsOf(undefined, { after: { ...sampleOf(0), open: { ...rest, weir_streams_in_flight: 2 } } }),
    /streams_in/,
  ],
  ["failures", factsOf(undefined, { failed: 3 }), /3 failures/],
  ["books", factsOf(undefined, { books: { ...books, differences: [{ check: "users.quota" }] } }), /1 differences/],
  ["journal", factsOf(undefined, { books: { ...books, unbooked: 1 } }), /1 charges are not booked/],
  ["reservations", factsOf(undefined, { books: { ...books, reserved: 500 } }), /500 quota/],
  ["a charge that is missing", factsOf(undefined, { books: { ...books, charged: 99 } }), /100 whole answers, but 99/],
])("a soak fails when something is off: %s", (_, facts, problem) => {
  const problems = problemsOf(facts);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(problem);
});
