import { describe, expect, test } from "vitest";
import type { CircuitCause } from "@/lib/row-status";
import { until } from "@/lib/testing/until";
import type { CircuitFailure } from "./circuit";
import { type CircuitSharing, Circuits } from "./circuits";
import type { CircuitRow } from "./commands";

const CHANNEL = 7;
const MODEL = "m";

type Answer = Awaited<ReturnType<CircuitSharing["claim"]>>;

/** Circuits on a clock of the test. `claims` answers who may probe; the newest state is always stored. */
function setUp({ claims = () => "granted" as Answer, isSaved = true, failures = 3, restMaxMs = 25_000, lot = 0 } = {}) {
  const clock = { ms: 1_000 };
  const asked: string[] = [];
  const sharing: CircuitSharing = {
    save: () => {},
    isSaved: () => isSaved,
    claim: async (_circuit, id) => {
      asked.push(id);
      return claims();
    },
    keep: () => {},
  };
  const limits = () => ({ failures, restMaxMs });
  const circuits = new Circuits({ limits, sharing, now: () => clock.ms, random: () => lot });
  const isOpen = () => circuits.isOpen(CHANNEL, MODEL);
  return {
    circuits,
    clock,
    asked,
    isOpen,
    fail(cause: CircuitCause, retryAfterMs: number | null = null, times = 1): void {
      const failure: CircuitFailure = { cause, retryAfterMs };
      for (let i = 0; i < times; i++) circuits.failed(CHANNEL, MODEL, failure, null);
    },
    succeed(times = 1): void {
      for (let i = 0; i < times; i++) circuits.succeeded(CHANNEL, MODEL, null);
    },
    /** Milliseconds until a request gets the probe, to the second. */
    async restOf(): Promise<number> {
      const from = clock.ms;
      for (; clock.ms - from < 700_000; clock.ms += 1_000) {
        if (await circuits.claim(CHANNEL, MODEL)) return clock.ms - from;
      }
      return Number.POSITIVE_INFINITY;
    },
    /** What a request does that prefers this channel. Returns whether it asked it. */
    async request(isUp: boolean, cause: CircuitCause): Promise<boolean> {
      if (isOpen() && !(await circuits.claim(CHANNEL, MODEL))) return false;
      const trial = circuits.begin(CHANNEL, MODEL);
      if (isUp) circuits.succeeded(CHANNEL, MODEL, trial);
      else circuits.failed(CHANNEL, MODEL, { cause, retryAfterMs: null }, trial);
      return true;
    },
    /** Makes the probe that is on offer. */
    probe(end: "succeeds" | "fails" | "is given up", cause: CircuitCause = "overload"): void {
      const trial = circuits.begin(CHANNEL, MODEL);
      expect(trial?.isProbe).toBe(true);
      if (end === "succeeds") circuits.succeeded(CHANNEL, MODEL, trial);
      else if (end === "fails") circuits.failed(CHANNEL, MODEL, { cause, retryAfterMs: null }, trial);
      else circuits.abandoned(trial);
    },
  };
}

describe("opening", () => {
  test("a refused key and a limit open at once, other faults at the third in a row", () => {
    for (const cause of ["key", "limit"] as const) {
      const one = setUp();
      one.fail(cause);
      expect(one.isOpen()).toBe(true);
    }
    for (const cause of ["overload", "timeout", "network", "cut"] as const) {
      const one = setUp();
      one.fail(cause, null, 2);
      expect(one.isOpen()).toBe(false);
      one.fail(cause);
      expect(one.isOpen()).toBe(true);
    }
  });

  test("a success resets the count, and nothing is said of other models and channels", () => {
    const one = setUp();
    one.fail("overload", null, 2);
    one.succeed();
    one.fail("overload", null, 2);
    expect(one.isOpen()).toBe(false);
    one.fail("overload");
    expect([one.isOpen(), one.circuits.isOpen(CHANNEL, "other"), one.circuits.isOpen(8, MODEL)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test("more than half of at least ten failing within the window open it, with no three in a row", () => {
    const one = setUp();
    for (let i = 0; i < 4; i++) {
      one.fail("overload", null, 2);
      one.succeed();
      if (i < 3) expect(one.isOpen()).toBe(false);
    }
    expect(one.isOpen()).toBe(true);
  });

  test("a third of them, or failures spread over minutes, do not", () => {
    const third = setUp();
    for (let i = 0; i < 50; i++) {
      third.fail("overload");
      third.succeed(2);
    }
    expect(third.isOpen()).toBe(false);
    const spread = setUp();
    for (let i = 0; i < 20; i++) {
      spread.fail("overload", null, 2);
      spread.succeed();
      spread.clock.ms += 16_000;
    }
    expect(spread.isOpen()).toBe(false);
  });

  test("a channel that is well again is not kept in memory", () => {
    const { circuits, clock, fail, succeed } = setUp();
    fail("overload", null, 2);
    clock.ms += 100_000;
    succeed();
    expect(Reflect.get(circuits, "channels")).toHaveProperty("size", 0);
  });
});

describe("resting", () => {
  test("an upstream's Retry-After is kept to, up to two minutes; without one it is ten seconds", async () => {
    for (const [given, rest] of [
      [42_000, 42_000],
      [3_600_000, 120_000],
      [0, 1_000],
      [null, 10_000],
    ] as const) {
      const one = setUp();
      one.fail("limit", given);
      expect(await one.restOf()).toBe(rest);
    }
  });

  test("each failed probe doubles the rest, to a bound that lets a recovered channel back within 30 seconds", async () => {
    const one = setUp();
    one.fail("timeout", null, 3);
    const rests: number[] = [];
    for (let i = 0; i < 6; i++) {
      rests.push(await one.restOf());
      one.probe("fails", "timeout");
    }
    expect(rests).toEqual([5_000, 10_000, 20_000, 25_000, 25_000, 25_000]);
    expect(await one.restOf()).toBe(25_000);
    one.probe("succeeds");
    expect(one.isOpen()).toBe(false);
  });

  test("a refused key rests up to two minutes", async () => {
    const one = setUp();
    one.fail("key");
    let rest = 0;
    for (let i = 0; i < 7; i++) {
      rest = await one.restOf();
      one.probe("fails", "key");
    }
    expect(rest).toBe(120_000);
  });

  test("a channel that flaps rests longer each time, and from the start again after a calm minute", async () => {
    const one = setUp();
    const rests: number[] = [];
    for (let i = 0; i < 4; i++) {
      one.fail("cut", null, 3);
      rests.push(await one.restOf());
      one.probe("succeeds");
      one.clock.ms += 2_000;
    }
    expect(rests).toEqual([5_000, 10_000, 20_000, 25_000]);
    one.clock.ms += 60_000;
    one.fail("cut", null, 3);
    expect(await one.restOf()).toBe(5_000);
  });

  test("a channel that flaps for minutes gets few requests while it fails, and most while it works", async () => {
    const one = setUp();
    let failed = 0;
    let served = 0;
    // Five minutes, ten requests a second, half a minute down and half a minute up.
    for (let i = 0; i < 3_000; i++) {
      const isUp = Math.floor(one.clock.ms / 30_000) % 2 === 1;
      if (await one.request(isUp, "overload")) {
        if (isUp) served += 1;
        else failed += 1;
      }
      one.clock.ms += 100;
    }
    expect(failed).toBeLessThan(40);
    expect(served).toBeGreaterThan(500);
  });
});

describe("where a request comes only every few seconds", () => {
  test("a channel that failed once with a limit gets traffic again when its rest is over", async () => {
    for (const set of [{}, { isSaved: false }, { claims: () => "alone" as Answer }]) {
      const one = setUp(set);
      one.fail("limit");
      let asked = 0;
      for (let i = 0; i < 12; i++) {
        one.clock.ms += 5_000;
        if (await one.request(true, "limit")) asked += 1;
      }
      expect(asked).toBe(11);
    }
  });

  test("a probe that says nothing is left to the next request, however late it comes", async () => {
    const one = setUp();
    one.fail("limit");
    await one.restOf();
    one.probe("is given up");
    one.clock.ms += 20_000;
    expect(await one.request(true, "limit")).toBe(true);
    expect(one.isOpen()).toBe(false);
  });

  test("a channel that is down for a minute is in use again within 20 s after it, whatever the lots are", async () => {
    for (let lot = 0; lot < 1; lot += 0.05) {
      const one = setUp({ lot, restMaxMs: 15_000 });
      const from = one.clock.ms;
      let recovered = Number.POSITIVE_INFINITY;
      for (let at = 0; at < 80_000 && recovered === Number.POSITIVE_INFINITY; at += 4_000) {
        one.clock.ms = from + at;
        if ((await one.request(at >= 60_000, "overload")) && at >= 60_000) recovered = at - 60_000;
      }
      expect(recovered).toBeLessThan(20_000);
    }
  });
});

describe("probing", () => {
  test("of a burst after the rest one request is the probe; the others go elsewhere until it has ended", async () => {
    const one = setUp();
    one.fail("overload", null, 3);
    one.clock.ms += 5_000;
    const claims = await Promise.all(Array.from({ length: 47 }, async () => one.circuits.claim(CHANNEL, MODEL)));
    expect(claims.filter((isGranted) => isGranted)).toHaveLength(1);
    expect([one.asked.length, one.isOpen()]).toEqual([1, true]);
    const trials = Array.from({ length: 47 }, () => one.circuits.begin(CHANNEL, MODEL));
    expect(trials.filter((trial) => trial?.isProbe)).toHaveLength(1);
    expect(one.isOpen()).toBe(true);
    one.circuits.succeeded(CHANNEL, MODEL, trials[0] ?? null);
    expect(one.isOpen()).toBe(false);
  });

  test("while another process probes the channel stays last, and nobody asks again until that may have ended", async () => {
    const one = setUp({ claims: () => "refused" });
    one.fail("overload", null, 3);
    one.clock.ms += 5_000;
    expect(await one.circuits.claim(CHANNEL, MODEL)).toBe(false);
    one.circuits.learn([row({ probeId: crypto.randomUUID(), probeMs: 20_000 })], [CHANNEL]);
    one.clock.ms += 19_000;
    expect([await one.circuits.claim(CHANNEL, MODEL), one.isOpen(), one.asked.length]).toEqual([false, true, 1]);
    one.clock.ms += 2_000;
    expect([await one.circuits.claim(CHANNEL, MODEL), one.isOpen(), one.asked.length]).toEqual([false, true, 2]);
  });

  test("an attempt that says nothing gives the probe to the next request; one that never ends is replaced", async () => {
    const one = setUp();
    one.fail("overload", null, 3);
    await one.restOf();
    one.probe("is given up");
    expect([one.isOpen(), one.asked.length]).toEqual([false, 1]);
    expect(one.circuits.begin(CHANNEL, MODEL)?.isProbe).toBe(true);
    one.clock.ms += 29_000;
    expect([one.isOpen(), await one.circuits.claim(CHANNEL, MODEL)]).toEqual([true, false]);
    one.clock.ms += 2_000;
    expect(await one.restOf()).toBe(0);
    one.probe("succeeds");
    expect(one.isOpen()).toBe(false);
  });

  test("without a database the circuit works in this process alone", async () => {
    for (const one of [setUp({ claims: () => "alone" }), setUp({ isSaved: false })]) {
      one.fail("timeout", null, 3);
      expect(await one.restOf()).toBe(5_000);
      one.probe("fails", "timeout");
      expect(await one.restOf()).toBe(10_000);
      one.probe("succeeds");
      expect(one.isOpen()).toBe(false);
    }
  });

  test("the first words of a probe close the circuit, unless answers of this channel are cut", async () => {
    for (const [cause, isOpen] of [
      ["timeout", false],
      ["cut", true],
    ] as const) {
      const one = setUp();
      one.fail(cause, null, 3);
      await one.restOf();
      const trial = one.circuits.begin(CHANNEL, MODEL);
      if (trial) one.circuits.answering(trial);
      expect(one.isOpen()).toBe(isOpen);
    }
  });

  test("an attempt that began before the circuit opened neither closes it nor lengthens its rest", async () => {
    const one = setUp();
    one.fail("overload", null, 3);
    one.succeed(5);
    one.fail("overload", null, 44);
    expect(one.isOpen()).toBe(true);
    expect(await one.restOf()).toBe(5_000);
  });

  test("attempts for want of another channel: a success closes the circuit, failures do not lengthen the rest", async () => {
    const one = setUp();
    one.fail("overload", null, 3);
    for (let i = 0; i < 20; i++) {
      const trial = one.circuits.begin(CHANNEL, MODEL);
      expect(trial?.isProbe).toBe(false);
      one.circuits.failed(CHANNEL, MODEL, { cause: "overload", retryAfterMs: null }, trial);
    }
    expect(await one.restOf()).toBe(5_000);
    one.probe("fails");
    one.circuits.succeeded(CHANNEL, MODEL, one.circuits.begin(CHANNEL, MODEL));
    expect(one.isOpen()).toBe(false);
  });

  test("a limit lasts as long as the upstream said, even if single requests pass", () => {
    const one = setUp();
    one.fail("limit", 30_000);
    one.circuits.succeeded(CHANNEL, MODEL, one.circuits.begin(CHANNEL, MODEL));
    expect(one.isOpen()).toBe(true);
  });
});

function row(values: Partial<CircuitRow> = {}): CircuitRow {
  const row: CircuitRow = {
    channelId: CHANNEL,
    model: MODEL,
    cause: "overload",
    level: 1,
    isOpen: true,
    restMs: 0,
    closedForMs: null,
    probeId: null,
    probeMs: null,
  };
  return { ...row, ...values };
}

describe("what other processes say", () => {
  test("an opening, its end, and a closing by hand are taken over", async () => {
    const one = setUp();
    one.circuits.learn([row({ restMs: 8_000, level: 2 })], [CHANNEL]);
    expect(await one.restOf()).toBe(8_000);
    one.circuits.learn([row({ isOpen: false, closedForMs: 5, level: 0 })], [CHANNEL]);
    expect([one.isOpen(), one.circuits.hasOpen]).toEqual([false, false]);
    one.fail("overload", null, 3);
    expect(await one.restOf()).toBe(5_000);
  });

  test("a circuit that is stored no more is closed, one that is not stored yet is not", () => {
    const stored = setUp();
    stored.fail("key");
    stored.circuits.learn([], null);
    expect([stored.isOpen(), stored.circuits.hasOpen]).toEqual([false, false]);
    const unstored = setUp({ isSaved: false });
    unstored.fail("key");
    unstored.circuits.learn([], null);
    expect(unstored.isOpen()).toBe(true);
  });

  test("this process's own probe is not taken for another's", async () => {
    const one = setUp();
    one.fail("overload", null, 3);
    await one.restOf();
    one.circuits.learn([row({ probeId: one.asked[0] ?? null, probeMs: 3_000 })], [CHANNEL]);
    one.probe("succeeds");
    await until(() => !one.isOpen());
  });
});
