import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { createRunFolder } from "@/lib/testing/run-folder";
import { settlementOf } from "@/lib/testing/settlement";
import { createJournal, type Journal } from "./journal";
import { type JournalFile, type JournalFolder, openJournalFolder } from "./journal-folder";
import { listJournals, readJournal } from "./read-journal";
import { createJournalReplayer, type ReplaySettings } from "./replay-journals";
import { encodeSettlement } from "./settlement-row";

const NODE = "00000000-0000-4000-8000-000000000001";
const OTHER = "00000000-0000-4000-8000-000000000002";
const path = createRunFolder("journal-faults");
const folder = openJournalFolder(path);
const row = (requestId: string, quota = 1) => encodeSettlement(settlementOf({ requestId, userId: 1, quota }));

beforeEach(() => {
  mkdirSync(path, { recursive: true });
  for (const name of readdirSync(path)) rmSync(join(path, name));
});
afterAll(() => rmSync(path, { recursive: true, force: true }));

/** A disk that refuses writes, or the removal of files, as long as the test wants it to. */
function faultyDisk() {
  const disk = { isFull: false, keepsFiles: false, onWrite: () => {} };
  const faulty: JournalFolder = {
    ...folder,
    create(name) {
      const file = folder.create(name);
      const wrapped: JournalFile = {
        write: async (bytes) => {
          disk.onWrite();
          if (disk.isFull) throw new Error("ENOSPC: no space left on device");
          await file.write(bytes);
        },
        isBroken: () => file.isBroken(),
        close: () => file.close(),
        remove() {
          if (disk.keepsFiles) throw new Error("EIO: the file cannot be removed");
          file.remove();
        },
      };
      return wrapped;
    },
  };
  return { disk, faulty };
}

function begin(on: JournalFolder = folder, more: Partial<Parameters<typeof createJournal>[0]> = {}): Journal {
  // Only what the test asks for is written.
  return createJournal({ folder: on, nodeId: NODE, owner: "owner", delayMs: 60_000, ...more });
}

/** What a replay would book, by request. */
function onDisk(): Record<string, number> {
  const { settlements, notes } = readJournal(folder, NODE, listJournals(folder).get(NODE) ?? []);
  return Object.fromEntries([...settlements, ...notes].map(({ requestId, quota }) => [requestId, quota]));
}

describe("a disk that fails", () => {
  test("a request that goes on after its note was forgotten keeps its charge, also where the write of that failed", async () => {
    const { disk, faulty } = faultyDisk();
    const journal = begin(faulty);
    journal.note(row("a", 1));
    await journal.sync();
    journal.done(["a"]);
    disk.isFull = true;
    disk.onWrite = () => journal.note(row("a", 7));
    await expect(journal.sync()).rejects.toThrow("ENOSPC");
    Object.assign(disk, { isFull: false, onWrite: () => {} });
    await journal.sync();
    expect(onDisk()).toEqual({ a: 7 });
    await journal.close();
  });

  test("keeps nothing in memory of what is committed meanwhile, and tells of the rest once it is on the disk", async () => {
    const { disk, faulty } = faultyDisk();
    const journal = begin(faulty);
    const told: string[] = [];
    disk.isFull = true;
    for (const id of ["a", "b", "c"]) {
      journal.add(row(id), () => told.push(id));
      await expect(journal.sync()).rejects.toThrow("ENOSPC");
    }
    journal.done(["a", "b"]);
    disk.isFull = false;
    await journal.sync();
    expect([told, onDisk()]).toEqual([["c"], { c: 1 }]);
    await journal.close();
  });

  test("a file that cannot be removed stays until it can, and with it the lines that say what is done", async () => {
    const { disk, faulty } = faultyDisk();
    const errors: unknown[] = [];
    let now = 0;
    const timers = { now: () => now, after: () => () => {}, soon() {}, every: () => () => {} };
    const journal = begin(faulty, { segmentBytes: 1, timers, onError: (error) => errors.push(error) });
    disk.keepsFiles = true;
    for (const id of ["a", "b", "c"]) {
      journal.add(row(id));
      await journal.sync();
      journal.done([id]);
      await journal.sync();
    }
    expect([onDisk(), journal.isSound(), errors.length, readdirSync(path).length]).toEqual([{}, true, 1, 6]);
    disk.keepsFiles = false;
    now = 2_000;
    journal.note(row("d"));
    await journal.sync();
    expect(onDisk()).toEqual({ d: 1 });
    expect(readdirSync(path).length).toBe(1);
    journal.done(["d"]);
    await journal.close();
    expect(readdirSync(path)).toEqual([]);
  });

  test.each([
    ["its file", () => rmSync(join(path, `${NODE}.000001.records`))],
    ["its folder", () => rmSync(path, { recursive: true })],
  ])("a journal that lost %s believes no write to it, and begins another file", async (_what, remove) => {
    const journal = begin();
    journal.add(row("a"));
    await journal.sync();
    remove();
    let isTold = false;
    journal.add(row("b"), () => {
      isTold = true;
    });
    await expect(journal.sync()).rejects.toThrow("was removed");
    expect([isTold, journal.isSound()]).toEqual([false, false]);
    await journal.sync();
    expect([isTold, journal.isSound(), onDisk()]).toEqual([true, true, { b: 1 }]);
    await journal.close();
  });
});

test("the files of a process that has written a million are all found, oldest first", () => {
  const names = ["999999", "1000000", "1000001"].map((number) => `${NODE}.${number}`);
  expect(listJournals({ ...folder, list: () => [...names].sort() })).toEqual(new Map([[NODE, names]]));
});

describe("a replay", () => {
  /** Of nobody it can be told here whether it runs, as in another container. */
  function replayer(retired: string[], now: () => number, more: Partial<ReplaySettings> = {}) {
    return createJournalReplayer({
      folder,
      nodeId: OTHER,
      owner: "other",
      isOurs: () => true,
      isAlive: () => null,
      async retire(nodeId) {
        retired.push(nodeId);
        return 0;
      },
      isRegistered: async () => false,
      findLogged: async () => new Set(),
      settle: async () => {},
      timers: { now, after: () => () => {}, soon() {}, every: () => () => {} },
      ...more,
    });
  }

  test.each([
    ["", "died before it said who it was"],
    ["another container", "died in a container that is gone"],
  ])("is not kept away for good by a claim that says %j: its process %s", async (text) => {
    const journal = begin();
    journal.add(row("a"));
    await journal.sync();
    writeFileSync(join(path, `${NODE}.claim`), text);
    const retired: string[] = [];
    let now = 0;
    const replay = replayer(retired, () => now);
    for (; now < 100_000; now += 5_000) await replay();
    expect(retired).toEqual([]);
    for (; now < 200_000; now += 5_000) await replay();
    expect([retired, readdirSync(path)]).toEqual([[NODE], []]);
  });

  test("reads of a running process no more than who it is", async () => {
    const journal = begin();
    for (let i = 0; i < 100; i++) journal.add(row(`request-${i}`));
    await journal.sync();
    const read: string[] = [];
    const watched: JournalFolder = {
      ...folder,
      read(name) {
        read.push(name);
        return folder.read(name);
      },
    };
    const owners: string[] = [];
    const isAlive = (owner: string) => owners.push(owner) > 0;
    await replayer([], () => 0, { folder: watched, isAlive })();
    expect([owners, read]).toEqual([["owner"], []]);
    await journal.close();
  });
});
