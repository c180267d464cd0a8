import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { incrementCounter } from "@/lib/auth/commands";
import { jobs } from "@/lib/jobs/registry";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import {
  type Allowance,
  chargeAdmissions,
  returnAdmissions,
  returnPlaces,
  takeAdmissions,
  takePlaces,
  tellWaiting,
} from "./commands";
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

describe("the sweep of counters", () => {
  const keys = async () => (await database.sql<{ key: string }[]>`select key from rate_counters`).map(({ key }) => key);
  const sweep = () => jobs.find(({ id }) => id === "counter-sweep")?.run(database.sql);
  const age = (days: number) =>
    database.sql`update rate_counters set window_start = window_start - ${days * 86_400}::bigint`;
  const want = { wanted: 1, urgent: 1, needed: 1, hold: 0 };

  test("deletes what no limit counts by any more, and keeps windows that run and places in use", async () => {
    await database.sql`delete from rate_counters`;
    const [alive, dead] = [randomUUID(), randomUUID()];
    await database.sql`insert into nodes (id, heartbeat_at) values (${alive}, now())`;
    await incrementCounter(database.db, "critical:192.0.2.1", 60);
    await takeAdmissions(database.sql, allow("t1", 5, 60), want);
    await takeAdmissions(database.sql, allow("t2", 5, 86_400 * 30), want);
    await tellWaiting(database.sql, { subject: "1", nodeId: dead }, 2);
    for (const [subject, nodeId] of [
      ["1", dead],
      ["2", alive],
      ["3", alive],
      ["4", alive],
      ["4", dead],
    ] as const) {
      expect(await takePlaces(database.sql, { subject, nodeId }, 5, 1)).toBe(true);
    }
    await returnPlaces(database.sql, { subject: "3", nodeId: alive }, 1);
    const before = await keys();
    expect(await sweep()).toBe("0 counters");
    await age(2);
    await incrementCounter(database.db, "critical:192.0.2.2", 60);
    await sweep();
    const held = ["2", "4"].flatMap((subject) => [`concurrent:${subject}`, `concurrent:${subject}:${alive}`]);
    expect((await keys()).toSorted()).toEqual([...held, "critical:192.0.2.2", `rate:t2:${86_400 * 30}`].toSorted());
    expect(before.length).toBeGreaterThan(10);
    // A place in use counts on, and one of a process that is gone is free.
    expect(await takePlaces(database.sql, { subject: "4", nodeId: alive }, 2, 2)).toBe(false);
    expect(await takePlaces(database.sql, { subject: "4", nodeId: alive }, 2, 1)).toBe(true);
    await age(100);
    await sweep();
    expect((await keys()).toSorted()).toEqual(held.toSorted());
  });

  test("keeps the counters of a site whose windows are longer than a day", async () => {
    vi.stubEnv("CRITICAL_RATE_LIMIT_DURATION", String(7 * 86_400));
    await incrementCounter(database.db, "critical:192.0.2.3", 7 * 86_400);
    await age(6);
    await sweep();
    expect(await incrementCounter(database.db, "critical:192.0.2.3", 7 * 86_400)).toMatchObject({ count: 2 });
  });

  test("deletes more than one statement may, and takes no row that is being counted in", async () => {
    await database.sql`insert into rate_counters (key, count, window_start) select 'login:' || n, 1, 1 from generate_series(1, 10500) as n`;
    await database.sql.begin(async (tx) => {
      await tx`update rate_counters set count = 2, window_start = extract(epoch from now())::bigint where key = 'login:7'`;
      await sweep();
    });
    expect((await keys()).filter((key) => key.startsWith("login:"))).toEqual(["login:7"]);
  });
});
