import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { type Allowance, chargeAdmissions, returnAdmissions, takeAdmissions } from "./commands";
import { RateLimiter } from "./rate-limiter";

let database: TestDatabase;
let statements = 0;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

function limiter(): RateLimiter {
  return new RateLimiter({
    take: (allowance, want) => {
      statements += 1;
      return takeAdmissions(database.sql, allowance, want);
    },
    giveBack: (allowance, amount, stamp) => returnAdmissions(database.sql, allowance, amount, stamp),
    charge: (allowance, amount) => chargeAdmissions(database.sql, allowance, amount),
    onError: (error) => expect(error).toBeNull(),
  });
}

const HOUR = 3_600;
const allow = (subject: string, limit: number, seconds = HOUR): Allowance => ({ subject, limit, seconds });

async function admitted(limiters: RateLimiter[], allowance: Allowance, tries: number): Promise<number> {
  const asked = Array.from({ length: tries }, (_, i) => limiters[i % limiters.length]?.admit(allowance));
  return (await Promise.all(asked)).filter((outcome) => outcome === true).length;
}

describe("the rate limiter", () => {
  test.each([1, 5, 100])(
    "%i admissions are never exceeded by three processes in a burst, and all are given",
    async (n) => {
      const allowance = allow(`burst${n}`, n);
      const processes = [limiter(), limiter(), limiter()];
      const first = await admitted(processes, allowance, n * 3);
      expect(first).toBeLessThanOrEqual(n);
      // Use up the admissions that each process still holds.
      const rest = await Promise.all(processes.map((one) => admitted([one], allowance, 20)));
      expect(first + rest.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(n);
      expect(first).toBeGreaterThanOrEqual(Math.floor(n * (1 - 2 / 16)));
    },
  );

  test("a busy subject costs a few statements, not one a request", async () => {
    const one = limiter();
    statements = 0;
    let given = 0;
    for (let i = 0; i < 1_100; i++) if ((await one.admit(allow("busy", 1_000))) === true) given += 1;
    expect(given).toBe(1_000);
    expect(statements).toBeLessThan(120);
  });

  test("what did not count is given to another process", async () => {
    const [one, two] = [limiter(), limiter()];
    const allowance = allow("returned", 1);
    expect(await one.admit(allowance)).toBe(true);
    expect(await two.admit(allowance)).toMatchObject({ refused: true });
    one.giveBack(allowance);
    const fresh = limiter();
    await expect.poll(() => fresh.admit(allowance), { timeout: 10_000 }).toBe(true);
  });

  test.each([1, 7, 60])("amounts of %i are never admitted beyond the limit, over three processes", async (amount) => {
    const allowance = allow(`amount${amount}`, 300);
    const processes = [limiter(), limiter(), limiter()];
    const asked = Array.from({ length: 400 }, (_, i) => processes[i % 3]?.admit(allowance, amount));
    const given = (await Promise.all(asked)).filter((outcome) => outcome === true).length * amount;
    expect(given).toBeLessThanOrEqual(300);
    // Each process may hold a part of its slice that is too small for another.
    expect(given).toBeGreaterThan(300 - 3 * (amount + 300 / 16));
  });

  test("a large amount that is refused lets a smaller one behind it pass", async () => {
    const one = limiter();
    const allowance = allow("mixed", 100);
    expect(await one.admit(allowance, 60)).toBe(true);
    const [large, small] = await Promise.all([one.admit(allowance, 60), one.admit(allowance, 30)]);
    expect([large, small]).toEqual([{ refused: true, retryAfter: expect.any(Number) }, true]);
  });

  test("what was used beyond the estimate counts for all processes, what was not used is given back", async () => {
    const [one, two] = [limiter(), limiter()];
    const allowance = allow("settled", 1_000);
    expect(await one.admit(allowance, 100)).toBe(true);
    one.settle(allowance, one.windowOf(allowance), 100, 990);
    await expect.poll(() => two.admit(allowance, 50)).toMatchObject({ refused: true });

    const other = allow("unused", 1_000);
    expect(await one.admit(other, 1_000)).toBe(true);
    one.settle(other, one.windowOf(other), 1_000, 10);
    await expect.poll(() => limiter().admit(other, 900)).toBe(true);
  });

  test("another limit applies at once", async () => {
    const one = limiter();
    expect(await admitted([one], allow("changed", 2), 5)).toBe(2);
    expect(await admitted([one], allow("changed", 6), 5)).toBe(4);
    expect(await admitted([one], allow("changed", 2), 5)).toBe(0);
  });
});
