import { describe, expect, test } from "vitest";
import { TEXT } from "./answers";
import type { Got } from "./caller";
import { type Fault, type Row, type SetUp, usualTimes } from "./fault";
import { judge, type Outcome } from "./verdict";

const whole: Got = {
  status: 200,
  requestId: "r",
  isEventStream: true,
  text: TEXT,
  finishReason: "stop",
  model: "m",
  hasUsage: true,
  isDone: true,
  error: null,
  badEvents: 0,
  ended: "clean",
  retryAfter: null,
  firstMs: 90,
  ms: 100,
};
const error: Got = {
  ...whole,
  isEventStream: false,
  status: 502,
  text: "",
  finishReason: null,
  isDone: false,
  error: "x",
};
const cut: Got = { ...whole, text: "The river", finishReason: null, isDone: false, error: "cut" };

function verdictOn(got: Partial<Got>[], more: Partial<Outcome> = {}, fault: Partial<Fault> = {}, setUp: SetUp = "two") {
  const row: Row = {
    name: "r",
    model: "m",
    otherModel: "m",
    fault: { name: "f", act: () => {}, ...fault },
    isStream: true,
    setUp,
  };
  const answers = got.map((one) => ({ ...whole, ...one }));
  const usual = {
    later: [],
    atFaulty: [0],
    atHealthy: setUp === "two" ? 1 : null,
    noted: 2,
    logged: got.length,
    charge: 48,
  };
  return judge(row, { got: answers, ...usual, ...more }, usualTimes);
}

const nothingPaid = { charge: 0 };

describe("a row is as promised", () => {
  test("when the healthy channel answers, or there is none and the error is clear", () => {
    expect(verdictOn([whole])).toEqual([]);
    expect(verdictOn([error], nothingPaid, {}, "one")).toEqual([]);
    expect(verdictOn([cut], { charge: 12 }, {}, "one")).toEqual([]);
    expect(verdictOn([error], { ...nothingPaid, atHealthy: 0 }, { isFinal: "at the model" })).toEqual([]);
    expect(verdictOn([cut], { charge: 12, atHealthy: 0 }, { hasBegun: true }, "model")).toEqual([]);
  });
});

describe("each rule is broken by what it forbids", () => {
  const forbidden: [string, string[]][] = [
    ["error despite a healthy candidate", verdictOn([error], nothingPaid)],
    ["error despite a healthy candidate", verdictOn([cut])],
    ["error despite a healthy candidate", verdictOn([error], nothingPaid, { isRescued: true }, "one")],
    ["error despite a healthy candidate", verdictOn([whole, error], {}, { calls: 2 })],
    ["error despite a healthy candidate", verdictOn([{ badEvents: 1 }])],
    ["error despite a healthy candidate", verdictOn([{ text: `${TEXT}${TEXT}` }])],
    ["error despite a healthy candidate", verdictOn([error], nothingPaid, { hasBegun: true }, "model")],
    ["error despite a healthy candidate", verdictOn([cut], {}, { hasBegun: true }, "two")],
    ["charged for nothing", verdictOn([error], { charge: 1 }, {}, "one")],
    ["a cut answer looks whole", verdictOn([{ ...cut, isDone: true }], {}, {}, "one")],
    ["a cut answer looks whole", verdictOn([{ ...cut, error: null, finishReason: "stop" }], {}, {}, "one")],
    ["a cut answer looks whole", verdictOn([{ text: "", isEventStream: false }], nothingPaid, {}, "one")],
    ["a cut answer looks whole", verdictOn([{ error: "late" }], {}, { isAfterFinish: true }, "one")],
    ["too many attempts", verdictOn([whole], { atFaulty: [0, 1, 2], noted: 4 })],
    ["too many attempts", verdictOn([whole], { atFaulty: null, noted: 4 })],
    ["too many attempts", verdictOn([error], { ...nothingPaid, atHealthy: 1 }, { isFinal: "at the model" })],
    ["too many attempts", verdictOn([whole], { atFaulty: [0, 600, 1_200], noted: 4 }, { name: "429", attemptsMax: 4 })],
    ["too slow", verdictOn([{ ms: usualTimes.slackMs + 1 }])],
    ["too slow", verdictOn([{ ...error, ended: "left" }], nothingPaid, {}, "one")],
    ["an attempt is not in the log", verdictOn([whole], { noted: 1 })],
    [
      "the provider's reason is lost",
      verdictOn([error], nothingPaid, { isFinal: "everywhere", reason: /policy/ }, "one"),
    ],
    ["Retry-After is lost", verdictOn([error], nothingPaid, { hasRetryAfter: true }, "one")],
    ["not in the log", verdictOn([whole], { logged: 0 })],
    ["not charged", verdictOn([whole], nothingPaid)],
    ["error despite a healthy candidate", verdictOn([error], nothingPaid, { isFinal: "at the model" }, "model")],
    ["too many attempts", verdictOn([error], { ...nothingPaid, atHealthy: 1 }, { isFinal: "everywhere" }, "own")],
    ["a crowd waits too long", verdictOn([{ firstMs: 1_100 }, whole], { later: [whole] }, { isCrowd: true })],
    ["a crowd waits too long", verdictOn([whole, whole], { later: [{ ...whole, firstMs: 1_100 }] }, { isCrowd: true })],
    [
      "asked after a crowd met its fault",
      verdictOn([whole, whole], { later: [whole], atFaulty: [0, 9, 9] }, { isCrowd: true }),
    ],
  ];
  test.each(forbidden)("%s (%#)", (rule, broken) => {
    expect(broken).toContain(rule);
  });
});

test("429s within their budget are allowed: the third attempt comes 1.5 s after the first", () => {
  const atFaulty = [0, 1_000, 2_100];
  expect(verdictOn([whole], { atFaulty, noted: 4 }, { name: "429, for ever", attemptsMax: 4 })).toEqual([]);
});

test("a slow answer is allowed where the fault makes it wait", () => {
  expect(verdictOn([{ ms: 15_500 }], {}, { waitMs: (times) => times.firstByteMs })).toEqual([]);
});
