import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createRateWindow } from "@/lib/rate-window";
import {
  type Allowance,
  chargeAdmissions,
  returnAdmissions,
  takeAdmissions,
} from "@/lib/relay/admission/limits/commands";
import { RateLimiter, type Refused } from "@/lib/relay/admission/limits/rate-limiter";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";

let database: TestDatabase;
let subjects = 0;
/** Unix seconds, of every process and of the database. */
const clock = { at: 1_800_000_000 };
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

function limiter(): RateLimiter {
  return new RateLimiter({
    take: (allowance, want) => takeAdmissions(database.sql, allowance, { ...want, moment: clock.at }),
    giveBack: (allowance, amount, stamp) => returnAdmissions(database.sql, allowance, amount, stamp),
    charge: (allowance, amount) => chargeAdmissions(database.sql, allowance, amount, clock.at),
    onError: (error) => expect(error).toBeNull(),
    now: () => clock.at * 1_000,
  });
}

const allow = (limit: number, seconds: number): Allowance => ({ subject: `s${++subjects}`, limit, seconds });
function pass(seconds: number): void {
  clock.at += seconds;
}
const most = (times: readonly number[], seconds: number): number =>
  Math.max(0, ...times.map((end) => times.filter((at) => at > end - seconds && at <= end).length));

describe("a limit in a time, over all processes", () => {
  test.each([
    [1, 60],
    [1, 2],
    [2, 60],
    [3, 3_600],
  ])("of %i in %i s admits them again when that time is over, and says so", async (limit, seconds) => {
    const allowance = allow(limit, seconds);
    const [one, two] = [limiter(), limiter()];
    for (let i = 0; i < limit; i++) expect(await one.admit(allowance)).toBe(true);
    for (let round = 0; round < 5; round++) {
      pass(seconds * 0.99);
      const refused = await two.admit(allowance);
      expect(refused).toMatchObject({ refused: true });
      expect((refused as Refused).retryAfter).toBeCloseTo(seconds * 0.01, 3);
      expect(two.standing(allowance).resetSeconds).toBeCloseTo(seconds * 0.01, 3);
      pass(seconds * 0.01 + 0.001);
      for (let i = 0; i < limit; i++) expect(await two.admit(allowance)).toBe(true);
    }
  });

  test("never admits more in any span of its time, and what it says of the next comes true", async () => {
    const step = fc.record({ wait: fc.integer({ min: 0, max: 400 }), process: fc.integer({ min: 0, max: 2 }) });
    const steps = fc.array(step, { minLength: 5, maxLength: 40 });
    const cases = fc.asyncProperty(
      fc.integer({ min: 1, max: 40 }),
      fc.constantFrom(2, 10, 60),
      steps,
      async (limit, seconds, asks) => {
        const allowance = allow(limit, seconds);
        const processes = [limiter(), limiter(), limiter()];
        const admitted: number[] = [];
        for (const { wait, process } of asks) {
          // Some requests come together, others after a part of the time.
          pass(wait < 200 ? 0 : ((wait - 200) / 400) * seconds);
          const asked = processes[process] as RateLimiter;
          const answer = await asked.admit(allowance);
          if (answer === true) admitted.push(clock.at);
          else {
            pass(answer.retryAfter + 0.001);
            expect(await asked.admit(allowance), "after Retry-After").toBe(true);
            admitted.push(clock.at);
          }
          expect(most(admitted, seconds)).toBeLessThanOrEqual(limit);
        }
      },
    );
    await fc.assert(cases, { numRuns: 12 });
  });

  test("its headers agree with what happens next in one process", async () => {
    const steps = fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 5, maxLength: 40 });
    const cases = fc.asyncProperty(
      fc.integer({ min: 1, max: 30 }),
      fc.constantFrom(2, 60),
      steps,
      async (limit, seconds, waits) => {
        const allowance = allow(limit, seconds);
        const one = limiter();
        for (const wait of waits) {
          pass(wait < 150 ? 0 : ((wait - 150) / 300) * seconds);
          const answer = await one.admit(allowance);
          const { remaining, resetSeconds } = one.standing(allowance);
          if (answer !== true) expect([remaining, answer.retryAfter.toFixed(2)]).toEqual([0, resetSeconds.toFixed(2)]);
          expect(remaining).toBeLessThan(limit);
          if (remaining > 0) expect(await one.admit(allowance), "as much is left").toBe(true);
          else {
            expect(await one.admit(allowance), "nothing is left").toMatchObject({ refused: true });
            pass(resetSeconds + 0.001);
            expect(await one.admit(allowance), "after the reset").toBe(true);
          }
        }
      },
    );
    await fc.assert(cases, { numRuns: 12 });
  });
});

describe("the limit of /api, in one process", () => {
  test("never admits more in any span of its time, and the next after the seconds that it says", () => {
    const waits = fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 5, maxLength: 60 });
    const cases = fc.property(
      fc.integer({ min: 1, max: 30 }),
      fc.constantFrom(2, 60, 180),
      waits,
      (limit, seconds, pauses) => {
        const window = createRateWindow(() => clock.at * 1_000);
        const admitted: number[] = [];
        for (const pause of pauses) {
          pass(pause < 200 ? 0 : ((pause - 200) / 100) * seconds);
          const wait = window.add("a", limit, seconds);
          if (wait > 0) {
            expect(wait).toBeLessThanOrEqual(seconds);
            pass(wait + 0.001);
            expect(window.add("a", limit, seconds)).toBe(0);
          }
          admitted.push(clock.at);
          expect(most(admitted, seconds)).toBeLessThanOrEqual(limit);
        }
      },
    );
    fc.assert(cases);
  });

  test("of one in a minute admits one a minute", () => {
    const window = createRateWindow(() => clock.at * 1_000);
    for (let i = 0; i < 5; i++) {
      expect(window.add("a", 1, 60)).toBe(0);
      pass(59.9);
      expect(window.add("a", 1, 60)).toBe(1);
      pass(0.2);
    }
  });
});
