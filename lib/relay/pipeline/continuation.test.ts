import { expect, test } from "vitest";
import { NO_USAGE } from "@/lib/billing/types";
import type { Report } from "../answers/answer";
import type { Attempt } from "../http/attempts";
import type { CutDelivery } from "../http/delivery";
import type { Exchange } from "../http/exchange";
import type { Continuation } from "../operations/operation";
import { type Continuing, runContinuation } from "./continuation";

const report = { usage: null, finishReason: null, isComplete: false, textBytes: () => 5 } as Report;
const attempt: Attempt = { channel: 1, start_ms: 0, ms: 9, outcome: "cut", cause: "cut" };
const cut: CutDelivery = {
  outcome: "cut",
  used: [],
  attempts: [attempt],
  upstream: null,
  report,
  firstTokenMs: 3,
  isForbidden: false,
};
const rest = { model: "m", isStream: true, way: "repeat", ownReport: () => null } as unknown as Continuation;

test("a stream is cut, and not lost, when its next channel cannot be chosen (issue 12)", async () => {
  const continuing: Continuing = {
    exchange: { id: "r1", recording: { body: () => Buffer.from("x"), add: () => {} } } as unknown as Exchange,
    intake: { continuation: () => rest, measure: () => NO_USAGE },
    next: () => Promise.reject(new Error("the database is away")),
    ask: () => Promise.reject(new Error("not asked")),
    leave: () => {},
  };
  const delivery = await runContinuation(cut, 1, continuing);
  expect(delivery).toEqual({ ...cut, attempts: [{ ...attempt, used: NO_USAGE }] });
});
