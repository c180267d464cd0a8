// PostgreSQL 15 stands still, has no space, is away for a minute, or commits slowly, while callers ask for everything. Each
// test has a server and a service of its own. Afterwards the books are compared with what every caller saw.
import { setTimeout as delay } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { setUpBundle } from "@/lib/testing/bundled-server";
import { until } from "@/lib/testing/until";
import { needPackages } from "./packages";
import type { Seen } from "./trouble-load";
import { inTrouble } from "./trouble-place";

const entry = setUpBundle(["main", "gateway", "worker"]);
const POSTGRES = { "/usr/lib/postgresql/15/bin/postgres": "postgresql-15" };
const TIMEOUT_MS = 600_000;

beforeAll(() => needPackages(POSTGRES));

/** Long streams that had begun before the trouble did, and got words during it. */
const wentOn = (seen: readonly Seen[], from: number, to: number): Seen[] =>
  seen.filter(
    ({ wordsAt: [first = to, ...more] }) => first < from && more.some((at) => at > from + 500 && at < to - 100),
  );
const refused = (seen: readonly Seen[]) => seen.filter(({ status }) => status === 503);
const codes = (seen: readonly Seen[]) => new Set(refused(seen).map(({ code }) => code));

describe.concurrent("every answer is charged once, running streams go on, and who cannot be served gets 503 with Retry-After", () => {
  test(
    "while all processes of PostgreSQL stand still for 25 s",
    async () => {
      await inTrouble(
        { main: entry("main"), name: "standing still", isIdleAwaited: true },
        async ({ postgres, load, expectBooksRight }) => {
          const from = performance.now();
          postgres.freeze();
          await delay(25_000);
          postgres.thaw();
          const to = performance.now();
          await load.untilAnswered(5);
          await expectBooksRight();
          expect(wentOn(load.seen, from, to).length).toBeGreaterThan(0);
          expect(codes(load.seen)).toContain("database_away");
        },
      );
    },
    TIMEOUT_MS,
  );

  test(
    "while PostgreSQL's disk is full for 20 s",
    async () => {
      const smallDisk = { of: "database", megabytes: 256 } as const;
      const settings = ["-c", "min_wal_size=32MB", "-c", "max_wal_size=64MB"];
      await inTrouble({ main: entry("main"), name: "disk full", smallDisk, settings }, async (place) => {
        const { postgres, disk, load, expectBooksRight } = place;
        const from = performance.now();
        disk?.fill();
        await delay(20_000);
        disk?.free();
        const to = performance.now();
        // It ends where it cannot even recover.
        await postgres.startAgain();
        await load.untilAnswered(5);
        await expectBooksRight();
        expect(wentOn(load.seen, from, to).length).toBeGreaterThan(0);
        // Some 6 s are a gateway's patience; the rest is for a busy machine. The long streams take 4 s by themselves.
        const waits = load.seen.filter(({ kind }) => kind !== "long stream").map(({ ms }) => ms);
        expect(Math.max(...waits)).toBeLessThan(10_000);
      });
    },
    TIMEOUT_MS,
  );

  test(
    "while the journal's disk is full, also when PostgreSQL stands still for 12 s",
    async () => {
      const smallDisk = { of: "journal", megabytes: 4 } as const;
      await inTrouble({ main: entry("main"), name: "journal's disk full", smallDisk }, async (place) => {
        const { postgres, disk, load, expectBooksRight } = place;
        disk?.fill();
        await load.untilAnswered(5);
        const from = performance.now();
        postgres.freeze();
        await delay(12_000);
        postgres.thaw();
        const to = performance.now();
        await load.untilAnswered(5);
        disk?.free();
        await load.untilAnswered(5);
        await expectBooksRight();
        expect(wentOn(load.seen, from, to).length).toBeGreaterThan(0);
      });
    },
    TIMEOUT_MS,
  );

  test(
    "while PostgreSQL is away for 60 s, stopped without writing anything",
    async () => {
      await inTrouble({ main: entry("main"), name: "away" }, async ({ postgres, load, expectBooksRight }) => {
        const from = performance.now();
        await postgres.crash();
        await delay(60_000);
        const to = performance.now();
        await postgres.startAgain();
        await load.untilAnswered(5);
        await expectBooksRight();
        expect(wentOn(load.seen, from, to).length).toBeGreaterThan(0);
        expect(codes(load.seen)).toContain("database_away");
      });
    },
    TIMEOUT_MS,
  );

  test(
    "and nobody is refused while every commit takes 100 ms",
    async () => {
      await inTrouble(
        { main: entry("main"), name: "slow commits" },
        async ({ database: { sql }, load, expectBooksRight }) => {
          // Only now: hundreds of callers were made before.
          await sql`alter system set commit_siblings = 0`;
          await sql`alter system set commit_delay = 100000`;
          await sql`select pg_reload_conf()`;
          await until(async () => (await sql`show commit_delay`)[0]?.commit_delay === "100000", 20_000);
          await load.untilAnswered(15);
          await expectBooksRight();
          expect(refused(load.seen)).toEqual([]);
        },
      );
    },
    TIMEOUT_MS,
  );
});
