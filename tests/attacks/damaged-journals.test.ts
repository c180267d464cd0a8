// Who: nobody; a disk that flips a bit, a copy that ends early, a power failure, an operator who puts back the wrong file,
// a disk that is full.
// What must hold: every charge that is whole on the disk is booked, once; root is told of the damage, and the damaged file is
// kept until somebody removes it.
import { spawnSync } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createJournal } from "@/lib/billing/journal";
import { openJournalFolder } from "@/lib/billing/journal-folder";
import { describeOwner } from "@/lib/billing/journal-owner";
import { readDatabaseId } from "@/lib/billing/journal-queries";
import { DAMAGED } from "@/lib/billing/journal-records";
import { listPending } from "@/lib/billing/pending-queries";
import { readJournal } from "@/lib/billing/read-journal";
import { reconcile } from "@/lib/billing/reconcile";
import { encodeSettlement } from "@/lib/billing/settlement-row";
import { openProcessJournal } from "@/lib/billing/start-journal";
import { createBilledUser, settlementOf, startBillingProcess } from "@/lib/testing/billing";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { createRunFolder } from "@/lib/testing/run-folder";
import { until } from "../relay/harness";

const CHARGES = 8;
const folder = createRunFolder("damaged");
let database: TestDatabase;
let owner = "";

beforeAll(async () => {
  database = await createTestDatabase();
  // A process of this machine that has ended: nobody with this number began at that time.
  const identity = JSON.parse(describeOwner(await readDatabaseId(database.sql))) as object;
  owner = JSON.stringify({ ...identity, start: "1" });
  await database.sql`insert into users (username, role) values ('root', 100)`;
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await database.drop();
});

/** A file with a beginning that names its owner and one part for each charge. */
type Written = { nodeId: string; name: string; bytes: Buffer; parts: Buffer[]; userId: number; requestIds: string[] };

type Format = (directory: string, nodeId: string, rows: ReturnType<typeof encodeSettlement>[]) => Promise<string>;

const formats: Record<string, Format> = {
  async records(directory, nodeId, rows) {
    const journal = createJournal({ folder: openJournalFolder(directory), nodeId, owner });
    for (const row of rows) {
      journal.add(row);
      await journal.sync();
    }
    await journal.close();
    return `${nodeId}.000001.records`;
  },
  /** What the version before has left when it is replaced. */
  async frames(directory, nodeId, rows) {
    const name = `${nodeId}.000001`;
    writeFileSync(
      join(directory, name),
      Buffer.concat([`h${owner}`, ...rows.map(({ json }) => `s${json}`)].map(frameOf)),
    );
    return name;
  },
};

function frameOf(line: string): Buffer {
  const body = Buffer.from(line);
  const header = Buffer.alloc(8);
  header.writeUInt32LE(body.length, 0);
  header.writeUInt32LE(crc32(body), 4);
  return Buffer.concat([header, body]);
}

function partsOf(bytes: Buffer, isFramed: boolean): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += parts.at(-1)?.length ?? bytes.length) {
    parts.push(bytes.subarray(at, isFramed ? at + 8 + bytes.readUInt32LE(at) : bytes.indexOf("\n", at) + 1));
  }
  return parts;
}

async function write(directory: string, format: string): Promise<Written> {
  const [nodeId, userId] = [randomUUID(), await createBilledUser(database, 10_000)];
  const requestIds = Array.from({ length: CHARGES }, () => randomUUID());
  const rows = requestIds.map((requestId) => encodeSettlement(settlementOf({ requestId, userId, quota: 10 })));
  const name = (await formats[format]?.(directory, nodeId, rows)) ?? "";
  const bytes = readFileSync(join(directory, name));
  return { nodeId, name, bytes, parts: partsOf(bytes, format === "frames"), userId, requestIds };
}

/** The bytes after it, and the charges (from 1) that it hits. */
type Damage = (written: Written, other: Written) => { bytes: (Buffer | string)[]; hit: number[] };

function flip(part: Buffer, at: number, bit = 2): Buffer {
  const flipped = Buffer.from(part);
  flipped[at] = (flipped[at] ?? 0) ^ (1 << bit);
  return flipped;
}

const flipIn =
  (at: (part: Buffer) => number, bit?: number): Damage =>
  ({ parts }) => ({ bytes: parts.map((part, i) => (i === 3 ? flip(part, at(part), bit) : part)), hit: [3] });

const damages: Record<string, Damage> = {
  "a bit of a length, or of the mark before a record": flipIn(() => 0),
  "a high bit of a length, or a bit of a checksum": flipIn(() => 2, 7),
  "a bit of a checksum": flipIn(() => 5),
  "a bit of a charge": flipIn((part) => part.length >> 1),
  "a bit of the mark after a record, or of its last byte": flipIn((part) => part.length - 1),
  "a cut within the last charge": ({ bytes }) => ({ bytes: [bytes.subarray(0, -20)], hit: [CHARGES] }),
  "a part that is missing from the middle": ({ parts: [start, one, two, three, four, ...rest] }) => ({
    bytes: [start, one, two, three?.subarray(0, 30), four?.subarray(30), ...rest].flatMap((part) => part ?? []),
    hit: [3, 4],
  }),
  "zeros at the end": ({ bytes }) => ({ bytes: [bytes, Buffer.alloc(4_096)], hit: [] }),
  "other bytes in the middle": ({ parts }) => ({
    bytes: [...parts.slice(0, 4), randomBytes(777), "\n\u001e\n", ...parts.slice(4)],
    hit: [],
  }),
};
/** The version before numbered nothing and named no file, so that these were not to be seen. */
const seenByNumbers: Record<string, Damage> = {
  "charges that are there twice": ({ bytes, parts }) => ({ bytes: [bytes, ...parts.slice(2, 5)], hit: [] }),
  "charges of another file": ({ bytes, parts }, other) => ({
    bytes: [...parts.slice(0, 4), ...other.parts.slice(2, 5), bytes.subarray(Buffer.concat(parts.slice(0, 4)).length)],
    hit: [],
  }),
  "a charge that is missing whole": ({ parts }) => ({ bytes: parts.filter((_part, i) => i !== 3), hit: [3] }),
};

type Case = { format: string; what: string; isSeen: boolean; damage: Damage };
const cases: Case[] = Object.keys(formats).flatMap((format) => [
  ...Object.entries(damages).map(([what, damage]) => ({ format, what, isSeen: true, damage })),
  ...Object.entries(seenByNumbers).map(([what, damage]) => ({ format, what, isSeen: format === "records", damage })),
]);

/** Starts the part of a process that replays, until `isDone`. */
async function replay(directory: string, isDone: () => boolean): Promise<void> {
  const process = await startBillingProcess(database.url);
  const journaling = await openProcessJournal(process.sql, directory, process.nodeId);
  journaling.replayInto(process.settler);
  await until(isDone, 10_000);
  await journaling.stopReplays();
  await process.stop();
}

async function bookedOf(userId: number): Promise<string[]> {
  const rows = await database.sql<{ id: string }[]>`select request_id as id from usage_logs where user_id = ${userId}`;
  return rows.map(({ id }) => id);
}

const left = (directory: string): string[] => readdirSync(directory).filter((name) => !name.endsWith(DAMAGED));

describe("of a journal with", () => {
  const written = new Map<Case, Written & { hit: number[] }>();
  beforeAll(async () => {
    for (const item of cases) {
      const [one, other] = [await write(folder, item.format), await write(folder, item.format)];
      const { bytes, hit } = item.damage(one, other);
      writeFileSync(join(folder, one.name), Buffer.concat(bytes.map((part) => Buffer.from(part))));
      written.set(item, { ...one, hit });
    }
    await replay(folder, () => left(folder).length === 0);
  }, 60_000);

  test.each(cases)("$what ($format), each whole charge is booked once, and the damage is told", async (item) => {
    const found = written.get(item);
    if (!found) throw new Error("not written");
    const { name, userId, requestIds, hit } = found;
    const booked = await bookedOf(userId);
    expect(new Set(booked).size).toBe(booked.length);
    expect(booked).toEqual(expect.arrayContaining(requestIds.filter((_id, i) => !hit.includes(i + 1))));
    const [user] = await database.sql`select used_quota from users where id = ${userId}`;
    expect(user).toEqual({ used_quota: booked.length * 10 });
    const told = await database.sql`
      select params from notifications where event = 'journal_damaged' and params->>'file' = ${join(folder, name + DAMAGED)}`;
    const pending = await listPending(database.sql, folder);
    const listed = pending.damaged.filter((file) => file.name === name + DAMAGED);
    expect([told.length, listed.length]).toEqual(item.isSeen ? [1, 1] : [0, 0]);
    if (item.isSeen) expect(told[0]).toMatchObject({ params: { places: expect.any(Number), charges: booked.length } });
  });

  test("all of it the books agree", async () => {
    expect((await reconcile(database.sql)).differences).toEqual([]);
  });
});

test("a file that is no journal but is called like one is kept, and what is beside it is booked", async () => {
  const directory = createRunFolder("foreign");
  const { nodeId, userId } = await write(directory, "records");
  const foreign = `${nodeId}.000002.records`;
  writeFileSync(join(directory, foreign), randomBytes(5_000));
  await replay(directory, () => left(directory).length === 0);
  expect(await bookedOf(userId)).toHaveLength(CHARGES);
  expect(readdirSync(directory)).toEqual([foreign + DAMAGED]);
  rmSync(directory, { recursive: true });
});

// Whoever names a key, and upstreams that fail, write these texts.
test.each(Object.keys(formats))(
  "line ends of every kind in every text of a charge damage nothing (%s)",
  async (format) => {
    const directory = createRunFolder("line-ends");
    const [nodeId, userId] = [randomUUID(), await createBilledUser(database, 10_000)];
    const ends = ["\u2028", "\u2029", "\u0085", "\r", "\n", "\v", "\f", "\u001e"].map((end) => `${end}a${end}b${end}`);
    const wanted = ends.map((text) => ({
      username: text,
      tokenName: text,
      modelName: text,
      group: text,
      content: text,
      clientIp: text,
      other: { [text]: text, attempts: [{ message: text }] },
    }));
    const settlements = wanted.map((texts) => encodeSettlement(settlementOf({ userId, quota: 10, ...texts })));
    await formats[format]?.(directory, nodeId, settlements);
    await replay(directory, () => left(directory).length === 0);
    expect(readdirSync(directory)).toEqual([]);
    const rows = await database.sql`
    select username, token_name as "tokenName", model_name as "modelName", "group", content, client_ip as "clientIp", other
    from usage_logs where user_id = ${userId}`;
    expect(rows).toHaveLength(ends.length);
    for (const texts of wanted) expect(rows).toContainEqual({ ...texts, other: expect.objectContaining(texts.other) });
    rmSync(directory, { recursive: true });
  },
);

test("a journal of another database is left alone, and is listed", async () => {
  const directory = createRunFolder("elsewhere");
  const mine = owner;
  owner = JSON.stringify({ ...(JSON.parse(owner) as object), database: "1:1" });
  const { name, userId } = await write(directory, "records");
  owner = mine;
  const second = await write(directory, "records");
  await replay(directory, () => left(directory).length === 1);
  expect(await bookedOf(userId)).toEqual([]);
  expect(await bookedOf(second.userId)).toHaveLength(CHARGES);
  expect(await listPending(database.sql, directory)).toMatchObject({ journal: [], damaged: [], foreign: [name] });
  rmSync(directory, { recursive: true });
});

test("whichever single bit is wrong, no other charge than the one it is in is lost, and it shows", async () => {
  const directory = createRunFolder("bits");
  const { nodeId, name, parts, requestIds } = await write(directory, "records");
  // Few enough to try all bits.
  const [start, first, second, third] = parts.slice(0, 4).map((part) => Buffer.from(part));
  if (!start || !first || !second || !third) throw new Error("no parts");
  const bytes = Buffer.concat([start, first, second, third]);
  const from = start.length + first.length;
  for (let at = from; at < from + second.length; at++) {
    for (let bit = 0; bit < 8; bit++) {
      const { settlements, damaged } = readJournal({ read: () => flip(bytes, at, bit) }, nodeId, [name]);
      const ids = settlements.map(({ requestId }) => requestId);
      if (damaged.length === 0 || ![requestIds[0], requestIds[2]].every((id) => id && ids.includes(id))) {
        throw new Error(
          `bit ${bit} of byte ${at - from} of ${second.length}: ${ids.length} read, ${damaged.length} damaged`,
        );
      }
    }
  }
  rmSync(directory, { recursive: true });
});

describe.runIf(process.platform === "linux" && process.getuid?.() === 0)("on a disk that is really full", () => {
  const disk = createRunFolder("full-disk");
  beforeAll(() => {
    expect(spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m,nr_inodes=64", "tmpfs", disk]).status).toBe(0);
  });
  afterAll(() => {
    expect(spawnSync("umount", [disk]).status).toBe(0);
    rmSync(disk, { recursive: true, force: true });
  });

  function fill(): void {
    const file = openSync(join(disk, "filler"), "w");
    expect(() => {
      for (;;) writeSync(file, Buffer.alloc(4_096));
    }).toThrow("ENOSPC");
    closeSync(file);
    expect(() => writeFileSync(join(disk, "more"), "x")).toThrow("ENOSPC");
    rmSync(join(disk, "more"));
  }

  test("the journals of ended processes are booked and removed, which makes room; a damaged one is kept", async () => {
    const directory = join(disk, "blocks");
    mkdirSync(directory);
    const [one, two] = [await write(directory, "records"), await write(directory, "frames")];
    writeFileSync(join(directory, one.name), flip(one.bytes, one.bytes.length - 100));
    fill();
    await replay(directory, () => left(directory).length === 0);
    expect(await bookedOf(one.userId)).toHaveLength(CHARGES - 1);
    expect(await bookedOf(two.userId)).toHaveLength(CHARGES);
    expect(readdirSync(directory)).toEqual([one.name + DAMAGED]);
    rmSync(join(disk, "filler"));
  });

  test("also where not even an empty file can be made", async () => {
    const directory = join(disk, "inodes");
    mkdirSync(directory);
    const { userId } = await write(directory, "records");
    const fillers = join(disk, "fillers");
    mkdirSync(fillers);
    expect(() => {
      for (let i = 0; ; i++) writeFileSync(join(fillers, String(i)), "");
    }).toThrow("ENOSPC");
    await replay(directory, () => left(directory).length === 0);
    expect(await bookedOf(userId)).toHaveLength(CHARGES);
    rmSync(fillers, { recursive: true });
  });
});
