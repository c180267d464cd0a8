import { expect, test } from "vitest";
import { createJournal } from "@/lib/billing/journal";
import type { JournalFolder } from "@/lib/billing/journal-folder";
import { createSettler, type SettlerSettings } from "@/lib/billing/settle";
import { settlementOf } from "@/lib/testing/settlement";
import { FakeTime, Random } from "./fake-time";
import { ModelFolder } from "./model-folder";

const NODE = "00000000-0000-4000-8000-000000000001";

/** A settler with its journal on a clock that the test controls. `bookMs`: how long the database takes for a flush. */
function start(bookMs: number, { writeMs = 0, ...more }: Partial<SettlerSettings> & { writeMs?: number } = {}) {
  const time = new FakeTime();
  const timers = time.timersOf(() => true);
  const disk = new ModelFolder(time, new Random(1));
  const folder = writeMs > 0 ? slowed(disk, (run) => time.after(writeMs, run)) : disk;
  const journal = createJournal({ folder, nodeId: NODE, owner: NODE, timers });
  const flushes: number[] = [];
  const book: SettlerSettings["store"]["book"] = (_nodeId, rows) =>
    new Promise((resolve) => {
      time.after(bookMs, () => {
        flushes.push(rows.length);
        resolve({ inserted: rows.length, charges: [] });
      });
    });
  const settler = createSettler({
    store: { book, keepRefused: async () => {} },
    nodeId: NODE,
    leaseBook: { settleAt() {}, applied() {}, rejoin: async () => {} },
    journal,
    timers,
    ...more,
  });
  let ids = 0;
  const ended: number[] = [];
  const settle = (settlement: Partial<Parameters<typeof settlementOf>[0]> = {}, onBooked?: () => void) =>
    settler
      .settle(settlementOf({ requestId: `request-${++ids}`, userId: 1, quota: 1, ...settlement }), 100, onBooked)
      .then(() => ended.push(time.now));
  const runTo = (moment: number) => time.runUntil(moment, () => {});
  /** One settlement every `everyMs`. */
  const load = async (count: number, everyMs: number) => {
    for (let i = 0; i < count; i++) {
      void settle();
      await runTo(time.now + everyMs);
    }
  };
  return { time, disk, settler, journal, flushes, ended, settle, runTo, load };
}

function slowed(folder: JournalFolder, later: (run: () => void) => void): JournalFolder {
  return {
    create(name) {
      const file = folder.create(name);
      const write = (bytes: Buffer) => new Promise<void>(later).then(() => file.write(bytes));
      return { ...file, write };
    },
    list: () => folder.list(),
    read: (name) => folder.read(name),
    readStart: (name) => folder.readStart(name),
    stampOf: (name) => folder.stampOf(name),
    remove: (name) => folder.remove(name),
    rename: (name, to) => folder.rename(name, to),
    claim: (name, text) => folder.claim(name, text),
  };
}

test("an answer ends once the disk has its charge; what is told of the commit comes after it", async () => {
  const { settle, runTo, ended, flushes, settler } = start(500);
  let bookedAt = 0;
  void settle({}, () => {
    bookedAt = 1;
  });
  await runTo(30);
  expect(ended).toHaveLength(1);
  expect([flushes, bookedAt, settler.queued()]).toEqual([[], 0, 1]);
  await runTo(600);
  expect([flushes, bookedAt, settler.queued(), settler.queuedBytes()]).toEqual([[1], 1, 0, 0]);
});

test("an answer ends with the commit where that is sooner than the disk", async () => {
  const { settle, runTo, ended } = start(2, { writeMs: 300 });
  void settle();
  await runTo(10);
  expect(ended).toEqual([2]);
});

test("an answer that is stored under its Idempotency-Key waits for the commit, as the store needs the database too", async () => {
  const { settle, runTo, ended } = start(500);
  void settle({ waitsForCommit: true });
  await runTo(400);
  expect(ended).toEqual([]);
  await runTo(600);
  expect(ended).toHaveLength(1);
});

test("whoever gets the id of a task finds it: that answer waits for the commit", async () => {
  const { settle, runTo, ended } = start(500);
  void settle({ task: { task_id: "task-1" } as never });
  await runTo(400);
  expect(ended).toEqual([]);
  await runTo(600);
  expect(ended).toHaveLength(1);
});

test("a flush gathers for 40 ms while no answer waits for it, and for 4 ms while they do", async () => {
  const patient = start(1);
  await patient.load(400, 1);
  const impatient = start(1, { durableIn: "database" });
  await impatient.load(400, 1);
  // The first ones are flushed alone, until it is clear that more come.
  expect(patient.flushes.at(-1)).toBeGreaterThan(30);
  expect(impatient.flushes.at(-1)).toBeLessThan(8);
  expect(Math.max(...impatient.flushes)).toBeLessThan(12);
});

test("a slow disk makes no answer wait longer than the database alone would", async () => {
  const { load, flushes, journal } = start(1, { writeMs: 50 });
  await load(900, 1);
  expect(journal.writeMs()).toBeGreaterThan(10);
  expect(flushes.at(-1)).toBeLessThan(8);
});

test("an answer that waits for the commit makes a flush stop gathering", async () => {
  const { load, settle, runTo, time } = start(1);
  await load(200, 1);
  const at = time.now;
  let endedAt = Number.POSITIVE_INFINITY;
  void settle({ task: { task_id: "task-1" } as never }).then(() => {
    endedAt = time.now;
  });
  await runTo(at + 30);
  expect(endedAt).toBeLessThan(at + 8);
});

test("charges of one turn share a write, and those that come during it share the next", async () => {
  const { settle, runTo, disk, ended } = start(1_000);
  for (let i = 0; i < 50; i++) void settle();
  await runTo(1);
  for (let i = 0; i < 50; i++) void settle();
  await runTo(100);
  expect(ended).toHaveLength(100);
  const [name = ""] = disk.list();
  // The file is made, and written twice.
  expect(disk.stampOf(name)).toBe("3");
});

test("what the database has within 20 ms never reaches the disk, where answers wait for the database anyway", async () => {
  const { settle, runTo, disk } = start(5, { durableIn: "database" });
  for (let i = 0; i < 50; i++) void settle();
  await runTo(200);
  expect(disk.list()).toEqual([]);
});

test("a full disk makes answers wait for the commit, and nothing is forgotten", async () => {
  const { settle, runTo, disk, ended, journal } = start(500);
  disk.isFull = true;
  void settle();
  await runTo(400);
  expect([ended, journal.isSound()]).toEqual([[], false]);
  disk.isFull = false;
  await runTo(600);
  expect(ended).toHaveLength(1);
  void settle();
  await runTo(1_300);
  await journal.sync();
  expect([ended.length, journal.isSound()]).toEqual([2, true]);
});

test("a database without space keeps no charge apart: it may take one batch and not the next, and answer that it is sound", async () => {
  let isFull = true;
  const refused: string[] = [];
  const store: SettlerSettings["store"] = {
    async book(_nodeId, rows) {
      if (isFull && rows.length > 0) throw Object.assign(new Error("could not extend file"), { code: "53100" });
      return { inserted: rows.length, charges: [] };
    },
    keepRefused: async (row) => void refused.push(row.requestId),
  };
  const { settle, runTo, settler, ended } = start(1, { store });
  for (let i = 0; i < 5; i++) void settle();
  await runTo(30_000);
  expect([ended.length, settler.queued(), refused]).toEqual([5, 5, []]);
  isFull = false;
  await runTo(40_000);
  expect([settler.queued(), refused]).toEqual([0, []]);
});
