import { expect, test } from "vitest";
import { FilePlaces } from "./send-file";

const refusal = (status: number) => expect.objectContaining({ status, retryAfter: 5 });

test("a user has eight files at a time, and a place that is left is free again", () => {
  const places = new FilePlaces();
  const leave = Array.from({ length: 8 }, () => places.enter(1));
  expect(() => places.enter(1)).toThrow(refusal(429));
  expect(() => places.enter(2)).not.toThrow();
  leave[0]?.();
  expect(() => places.enter(1)).not.toThrow();
  expect(() => places.enter(1)).toThrow(refusal(429));
});

test("a process has sixty-four, whoever asks", () => {
  const places = new FilePlaces();
  const leave = Array.from({ length: 64 }, (_, at) => places.enter(at));
  expect(() => places.enter(99)).toThrow(refusal(503));
  for (const one of leave) one();
  expect(() => places.enter(99)).not.toThrow();
});
