// The product's own lease book, settler, journal, replays and sweeper, on a clock and a database that a seed controls:
// crashes, lost power, outages, fail-overs, lost replies, jumps of the clock, full disks, shutdowns.
// After every event the identities of lib/billing/README.md hold; at the end every request is charged exactly once.
import { expect, test } from "vitest";
import { type Flaws, runInterleaving } from "./interleaving";

const INTERLEAVINGS = Number(process.env.WEIR_SIMULATIONS ?? 10_000);
const FIRST_SEED = Number(process.env.WEIR_SIMULATION_SEED ?? 1);

test("10,000 interleavings break nothing", async () => {
  let charges = 0;
  for (let seed = FIRST_SEED; seed < FIRST_SEED + INTERLEAVINGS; seed++) {
    const { violations, charges: booked } = await runInterleaving(seed);
    expect(violations, `WEIR_SIMULATION_SEED=${seed} WEIR_SIMULATIONS=1`).toEqual([]);
    charges += booked;
  }
  expect(charges).toBeGreaterThan(2 * INTERLEAVINGS);
}, 600_000);

test.each<[string, Flaws, RegExp]>([
  ["a grant that is added before its commit", { grantsBeforeCommit: true }, /overdrawn/],
  ["a settlement that is booked again when it is repeated", { booksTwice: true }, /is charged \d times/],
  ["a late flush of a process that is not registered any more", { booksForAnybody: true }, /is charged \d times/],
  ["an answer that ends before its charge is on the disk", { believesWrites: true }, /is charged undefined/],
  ["charges that only memory holds", { keepsNoJournal: true }, /is charged undefined/],
  ["a sweep that believes the clock", { sweepsByTheClock: true }, /a live process was swept/],
])(
  "%s is found",
  async (_name, flaws, expected) => {
    const found = new Set<string>();
    for (let seed = 1; seed <= 6_000; seed++) {
      for (const violation of (await runInterleaving(seed, flaws)).violations) found.add(violation);
      if ([...found].some((violation) => expected.test(violation))) return;
    }
    expect([...found].join("\n")).toMatch(expected);
  },
  120_000,
);
