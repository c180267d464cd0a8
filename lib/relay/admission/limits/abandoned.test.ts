import { describe, expect, test } from "vitest";
import type { Delivery } from "../../http/delivery";
import { AbandonedRequests } from "./abandoned";

const base = { used: [], attempts: null, upstream: null, firstTokenMs: null };
const gone = { ...base, outcome: "gone", wasSent: true, isOurWait: false, unseenMs: 0, report: null, drained: null };
const LEFT = gone as Delivery;
const UNSENT = { ...gone, wasSent: false } as Delivery;
const CUT_OFF = { ...gone, isCutOff: true } as Delivery;
const READ_TO_ITS_END = { ...gone, drained: { isWhole: true, ms: 1 } } as unknown as Delivery;
const OUR_WAIT = { ...gone, isOurWait: true } as Delivery;
const BROKEN_OFF = { ...gone, drained: { isWhole: false, ms: 1, failed: { status: null } } } as unknown as Delivery;
const TAKEN = { ...base, outcome: "answered" } as unknown as Delivery;

const terms = { AbandonedRequestsMax: 4 };

function counting() {
  let nowMs = 0;
  const abandoned = new AbandonedRequests(() => nowMs);
  const end = (delivery: Delivery, times: number, user = 1): void => {
    for (let i = 0; i < times; i++) abandoned.ended(user, delivery, terms);
  };
  const isAdmitted = (user = 1, given = terms): boolean => {
    try {
      abandoned.admit(user, given);
      return true;
    } catch {
      return false;
    }
  };
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  return { end, isAdmitted, abandoned, pass };
}

describe("requests whose callers leave", () => {
  test("refuse the next ones of that user from the limit on, and of nobody else", () => {
    const { end, isAdmitted } = counting();
    end(LEFT, 3);
    expect(isAdmitted()).toBe(true);
    end(LEFT, 1);
    expect([isAdmitted(), isAdmitted(2), isAdmitted(1, { AbandonedRequestsMax: 0 })]).toEqual([false, true, true]);
  });

  test("are forgotten in ten minutes, and told how long that takes", () => {
    const { end, isAdmitted, abandoned, pass } = counting();
    end(LEFT, 4);
    expect(() => abandoned.admit(1, terms)).toThrow(expect.objectContaining({ status: 429, retryAfter: 150 }));
    pass(150_000);
    expect(isAdmitted()).toBe(true);
    end(LEFT, 1);
    expect(isAdmitted()).toBe(false);
    pass(600_000);
    end(LEFT, 3);
    expect(isAdmitted()).toBe(true);
  });

  test("are made up for by four answers that are taken", () => {
    const { end, isAdmitted } = counting();
    end(LEFT, 4);
    end(TAKEN, 4);
    expect(isAdmitted()).toBe(true);
    end(TAKEN, 100);
    end(LEFT, 4);
    expect(isAdmitted()).toBe(false);
  });

  test("count only where the upstream had to be aborted because of it", () => {
    const { end, isAdmitted } = counting();
    for (const delivery of [UNSENT, CUT_OFF, READ_TO_ITS_END, OUR_WAIT, BROKEN_OFF]) end(delivery, 100);
    expect(isAdmitted()).toBe(true);
  });
});
