import { describe, expect, test } from "vitest";
import { type Failed, type PlanSettings, RetryPlan } from "./retry-plan";

type Channel = { id: number; weight: number; model: string };

const channel = (id: number, model = "m"): Channel => ({ id, weight: 0, model });
const [a, b, c] = [channel(1), channel(2), channel(3, "long-m")];

function plan(channels: readonly Channel[], more: Partial<PlanSettings<Channel>> = {}): RetryPlan<Channel> {
  return new RetryPlan<Channel>({
    tiers: channels.map((one) => [one]),
    isOpen: () => false,
    upstreamModel: ({ model }) => model,
    random: () => 0.5,
    waitBudgetMs: 3_000,
    ...more,
  });
}

const failed = (more: Partial<Failed> = {}): Failed => ({
  again: "never",
  isTransient: false,
  retryAfterMs: null,
  fault: null,
  hasOtherKeys: false,
  ...more,
});

describe("RetryPlan", () => {
  test("other channels come first, then once more the one that failed, after a back-off", () => {
    const steps = plan([a, b]);
    steps.failed(a, 0, 10, failed({ again: "once" }));
    expect(steps.next(10, 3)).toBe("other");
    steps.failed(b, 10, 20, failed());
    expect(steps.next(20, 3)).toEqual({ channel: a, waitMs: 240, isFirst: false });
    steps.failed(a, 260, 270, failed({ again: "once" }));
    expect(steps.next(270, 3)).toBeNull();
  });

  test("a passing failure: the same channel once more before those of lower priority, but not before its equals", () => {
    const passing = failed({ again: "once", isTransient: true });
    const steps = plan([a, b]);
    steps.failed(a, 0, 10, passing);
    expect(steps.next(10, 2)).toEqual({ channel: a, waitMs: 250, isFirst: true });
    steps.failed(a, 260, 270, passing);
    expect(steps.next(270, 1)).toBe("other");
    const equals = plan([a, b], { tiers: [[a, b], [c]] });
    equals.failed(a, 0, 10, passing);
    expect(equals.next(10, 3)).toBe("other");
    equals.failed(b, 10, 20, failed());
    expect(equals.next(20, 2)).toMatchObject({ channel: a, isFirst: true });
  });

  test("neither with the last attempt, nor beyond what may be waited, nor a second time", () => {
    const stated = (retryAfterMs: number) => failed({ again: "limited", isTransient: true, retryAfterMs });
    const last = plan([a, b]);
    last.failed(a, 0, 10, stated(1_000));
    expect(last.next(10, 1)).toBe("other");
    const long = plan([a, b]);
    long.failed(a, 0, 10, stated(5_000));
    expect(long.next(10, 3)).toBe("other");
    const twice = plan([a, b]);
    twice.failed(a, 0, 0, stated(1_000));
    expect(twice.next(0, 3)).toEqual({ channel: a, waitMs: 1_125, isFirst: true });
    twice.failed(a, 1_125, 1_130, stated(1_000));
    expect(twice.next(1_130, 2)).toBe("other");
  });

  test("an upstream that says when is waited for rather than a channel that failed lately is asked", () => {
    const steps = plan([a, b], { isOpen: (id) => id === b.id });
    steps.failed(a, 0, 10, failed({ again: "limited", retryAfterMs: 1_000 }));
    expect(steps.next(10, 3)).toEqual({ channel: a, waitMs: 1_125, isFirst: false });
    steps.failed(a, 1_135, 1_140, failed({ again: "limited", retryAfterMs: 60_000 }));
    expect(steps.next(1_140, 3)).toBe("other");
  });

  test("waits end with the budget, which the spread alone never exceeds", () => {
    const steps = plan([a]);
    steps.failed(a, 0, 0, failed({ again: "limited", retryAfterMs: 3_000 }));
    expect(steps.next(0, 3)).toEqual({ channel: a, waitMs: 3_000, isFirst: false });
    steps.failed(a, 3_000, 3_000, failed({ again: "limited", retryAfterMs: 1_000 }));
    expect(steps.next(3_000, 3)).toBeNull();
    const none = plan([a], { waitBudgetMs: 0 });
    none.failed(a, 0, 0, failed({ again: "once" }));
    expect(none.next(0, 3)).toBeNull();
  });

  test("where the others have no room, the channel that failed may be asked again", () => {
    const steps = plan([a, b]);
    steps.failed(a, 0, 10, failed({ again: "once" }));
    expect(steps.next(10, 3)).toBe("other");
    expect(steps.again(20)).toEqual({ channel: a, waitMs: 240, isFirst: false });
    expect(steps.again(20)).toBeNull();
  });

  test("a channel that limits us gets two requests within 1.5 s", () => {
    const steps = plan([a], { random: () => 0 });
    steps.failed(a, 0, 5, failed({ again: "limited" }));
    expect(steps.next(5, 3)).toEqual({ channel: a, waitMs: 0, isFirst: false });
    steps.failed(a, 5, 10, failed({ again: "limited" }));
    expect(steps.next(10, 3)).toEqual({ channel: a, waitMs: 1_490, isFirst: false });
  });

  test("what is too long for a model goes to channels where it is another model", () => {
    const steps = plan([a, b, c]);
    steps.failed(a, 0, 5, failed({ fault: "context" }));
    expect(steps.next(5, 3)).toBe("other");
    expect([...steps.tried]).toEqual([a.id, b.id]);
  });

  test("when only a key failed, its channel may be asked at once", () => {
    const steps = plan([a]);
    steps.failed(a, 0, 5, failed({ hasOtherKeys: true }));
    expect(steps.next(5, 3)).toBe("other");
    expect(steps.tried.has(a.id)).toBe(false);
  });
});
