import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getTableColumns } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { Sql } from "@/db/client";
import { usageLogs } from "@/db/schema";
import { type ArchiveRow, LOG_ARCHIVE_COLUMNS } from "@/lib/archive/columns";
import { type ArchiveFormat, parseArchiveUrl } from "@/lib/archive/config";
import { FolderStorage } from "@/lib/archive/folder-storage";
import { listArchives } from "@/lib/archive/list-archives";
import type { Manifest } from "@/lib/archive/manifest";
import { readMerged } from "@/lib/archive/read-rows";
import type { ArchiveStorage } from "@/lib/archive/storage";
import { verifyArchive } from "@/lib/archive/verify-archive";
import { reconcile } from "@/lib/billing/reconcile";
import { readComparableHours, reconcileHours } from "@/lib/billing/reconcile-hours";
import { bookSettlements } from "@/lib/billing/settlement-batch";
import { encodeSettlement } from "@/lib/billing/settlement-row";
import type { ServiceContext } from "@/lib/context";
import { createBilledUser, settlementOf } from "@/lib/testing/billing";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { dyingStorage } from "@/lib/testing/dying-storage";
import { rewriteBooks } from "@/lib/testing/rewrite-books";
import { readArchiveStatus } from "./archive-status-queries";
import { removeArchived } from "./clear-archived-commands";
import { clearOldLogs } from "./clear-old-logs-commands";
import { deleteLogs } from "./commands";
import { clearedPart, restoreLogRows } from "./restore-commands";

const DAY = 86_400;
const HOUR = 3_600;
const now = Math.floor(Date.now() / 1000);
const midnight = now - (now % DAY);
/** The first second of a month that is over. */
const monthStart = Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() - 2, 1) / 1000;
const monthEnd = Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() - 1, 1) / 1000;

let database: TestDatabase;
let sql: Sql;
let ctx: ServiceContext;
let userId: number;
let folder: string;
let storage: FolderStorage;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = database.sql;
  ctx = { db: database.db, sql, actor: { type: "job", name: "test" }, clientIp: "" };
  userId = await createBilledUser(database, 1_000_000_000);
});
afterAll(() => database.drop());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "weir-archive-"));
  storage = new FolderStorage(folder);
});
afterEach(async () => {
  await rm(folder, { recursive: true });
  await rewriteBooks(sql, (tx) => tx`delete from usage_logs`);
  await sql`truncate log_archives, log_restores, log_archive_status, job_positions, log_clearings`;
});

/** Rows of one every `step` seconds, with what texts may hold. */
async function fill(from: number, until: number, step: number): Promise<number> {
  const { count } = await sql`
    insert into usage_logs (request_id, created_at, user_id, username, quota, cost, content, model_name, "group", other)
    select 'row-' || at, at, ${userId}, E'zoë\t"😀"', at, case when at % 2 = 0 then at end, E'line\nof text, \\ and ''', 'm',
      'default', jsonb_build_object('admin_info', jsonb_build_object('use_channel', array['1']), 'note', E'a\nb', 'n', 1.5)
    from generate_series(${from}::bigint, ${until - 1}::bigint, ${step}::bigint) as at`;
  return count;
}

/** All visible rows of the log in the form of the archives. */
async function visible(): Promise<ArchiveRow[]> {
  const columns = LOG_ARCHIVE_COLUMNS.map(({ name }) => (name === "other" ? "other::text" : `"${name}"`)).join(", ");
  const rows = await sql.unsafe<ArchiveRow[]>(
    `select ${columns} from usage_logs where not hidden order by created_at, id`,
  );
  return rows.map((row) => sortedJson(row));
}

/** PostgreSQL orders the keys of jsonb by itself. */
const sortedJson = (row: ArchiveRow): ArchiveRow => ({ ...row, other: JSON.stringify(JSON.parse(String(row.other))) });

async function archived(range = { from: 0, until: Number.MAX_SAFE_INTEGER }): Promise<ArchiveRow[]> {
  const rows: ArchiveRow[] = [];
  for await (const row of readMerged(storage, await manifests(), range)) rows.push(sortedJson(row));
  return rows;
}

async function manifests(): Promise<Manifest[]> {
  return (await listArchives(storage)).map(({ manifest, error }) => {
    if (!manifest) throw new Error(error);
    return manifest;
  });
}

type Settings = Partial<Parameters<typeof clearOldLogs>[1]>;

function turn(settings: Settings = {}): Promise<string> {
  return clearOldLogs(sql, { url: `folder:${folder}`, format: "jsonl", retentionDays: 0, now, ...settings });
}

const archiving = (own: Partial<Parameters<typeof removeArchived>[0]> = {}) => ({
  sql,
  storage,
  place: "test",
  format: "jsonl" as ArchiveFormat,
  ...own,
});

async function months(): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select inhrelid::regclass::text as name from pg_inherits where inhparent = 'usage_logs'::regclass order by 1`;
  return rows.map(({ name }) => name);
}

const clearedUntil = (until: number) => sql`select weir_note_cleared(${until}::bigint, 'request')`;

test("an archive has every column of the log but the mark of hidden rows", () => {
  const inTable = Object.values(getTableColumns(usageLogs)).map(({ name }) =>
    name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`),
  );
  expect(LOG_ARCHIVE_COLUMNS.map(({ name }) => name).sort()).toEqual(
    inTable.filter((name) => name !== "hidden").sort(),
  );
});

describe.each(["jsonl", "parquet"] as const)("as %s", (format) => {
  test("what the retention gives up is archived day by day with the same content, and only then deleted", async () => {
    await fill(midnight - 33 * DAY, midnight - 28 * DAY, HOUR);
    await sql`insert into usage_logs (request_id, created_at, user_id, hidden) values ('hidden', ${midnight - 32 * DAY}, 1, true)`;
    const before = await visible();
    expect(await turn({ format, retentionDays: 30, pieceRows: 10 })).toBe("9 archives, 72 rows");
    const cutoff = midnight - 30 * DAY;
    expect(await archived()).toEqual(before.filter((row) => Number(row.created_at) < cutoff));
    expect(await visible()).toEqual(before.filter((row) => Number(row.created_at) >= cutoff));
    expect((await manifests()).every(({ from, until, rows }) => until - from <= DAY && rows <= 10)).toBe(true);
    expect(await turn({ format, retentionDays: 30 })).toBe("0 archives, 0 rows");
    expect((await sql`select 1 from usage_logs where created_at < ${cutoff}`).length).toBe(0);
  });
});

test("without a place for archives the retention deletes, and 0 days delete nothing", async () => {
  await fill(midnight - 3 * DAY, midnight - 1 * DAY, HOUR);
  expect(await turn({ url: null })).toBe("0 rows");
  expect(await turn({ url: null, retentionDays: 2 })).toBe("24 rows");
  expect((await visible()).length).toBe(24);
});

test("a month that is over is dropped as a whole once all of it is archived", async () => {
  await sql`select weir_ensure_log_partitions(${monthStart}::bigint, ${now}::bigint)`;
  const name = `usage_logs_${new Date(monthStart * 1000).toISOString().slice(0, 7).replace("-", "_")}`;
  const count = await fill(monthStart, monthEnd, 6 * HOUR);
  const before = await visible();
  await clearedUntil(monthEnd);
  const [row] = await sql<
    { days: number }[]
  >`select ((${monthEnd}::bigint - ${monthStart}::bigint) / ${DAY})::int as days`;
  expect(await turn()).toBe(`${row?.days} archives, ${count} rows`);
  expect(await months()).not.toContain(name);
  expect(await archived()).toEqual(before);
});

test("nothing is dropped while a single row of a month has no archive: one that came late is archived, too", async () => {
  await sql`select weir_ensure_log_partitions(${monthStart}::bigint, ${now}::bigint)`;
  await fill(monthStart, monthStart + 3 * DAY, HOUR);
  await clearedUntil(monthEnd);
  let isFirst = true;
  const late: ArchiveStorage = Object.assign(Object.create(storage), {
    async put(name: string, content: AsyncIterable<Uint8Array>) {
      const size = await storage.put(name, content);
      // The first day is archived now.
      if (isFirst)
        await sql`insert into usage_logs (request_id, created_at, user_id) values ('late', ${monthStart + 5}, 1)`;
      isFirst = false;
      return size;
    },
  });
  const report = await removeArchived(archiving({ storage: late }), { start: 0, end: monthEnd });
  expect(report.rows).toBe(73);
  expect(await visible()).toEqual([]);
  const requests = (await archived()).map(({ request_id }) => request_id);
  expect(requests.length).toBe(73);
  expect(new Set(requests).size).toBe(73);
  expect(requests).toContain("late");
});

test("clearing by hand leaves the rows to the worker, which archives those of the last day before they are emptied", async () => {
  await turn();
  await fill(now - 3 * DAY, now - 2 * DAY, HOUR);
  await fill(now - 10 * HOUR, now - 5 * HOUR, HOUR);
  const before = await visible();
  expect(await deleteLogs({ ...ctx, actor: { type: "command-line" } }, now - 4 * HOUR)).toBe(29);
  expect((await visible()).length).toBe(29);
  const admin: ServiceContext = { ...ctx, actor: { type: "command-line" } };
  expect(await readArchiveStatus(admin)).toMatchObject({ waitingBefore: now - 4 * HOUR, failure: null });
  await turn();
  expect(await visible()).toEqual([]);
  expect(await archived()).toEqual(before);
  const kept = await sql`select content, other from usage_logs where hidden`;
  expect(kept.length).toBe(5);
  expect(kept[0]).toEqual({ content: "", other: {} });
  expect(await readArchiveStatus(admin)).toMatchObject({ waitingBefore: null, newest: { rows: expect.any(Number) } });
  await turn();
  expect(await archived()).toEqual(before);
});

describe("when archiving fails", () => {
  const failing: [string, () => Promise<Settings>, RegExp][] = [
    ["the address is wrong", async () => ({ url: "ftp://x" }), /WEIR_ARCHIVE_URL/],
    ["the folder is not mounted", async () => ({ url: `folder:${folder}/gone` }), /gone/],
    ["the bucket does not answer", async () => ({ url: "s3://bucket?endpoint=http://127.0.0.1:1&region=x" }), /bucket/],
  ];
  test.each(failing)(
    "%s: no row goes, and the console and super administrators are told why",
    async (_name, settings, reason) => {
      await sql`update users set role = 100 where id = ${userId}`;
      await sql`delete from notifications`;
      onTestFinished(async () => void (await sql`update users set role = 1 where id = ${userId}`));
      await fill(midnight - 33 * DAY, midnight - 32 * DAY, HOUR);
      for (const key of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]) {
        process.env[key] = "test";
        onTestFinished(() => void delete process.env[key]);
      }
      await expect(turn({ ...(await settings()), retentionDays: 30 })).rejects.toThrow(reason);
      expect((await visible()).length).toBe(24);
      const status = await readArchiveStatus({ ...ctx, actor: { type: "command-line" } });
      expect(status?.failure?.reason).toMatch(reason);
      const told = await sql`select event from notifications where user_id = ${userId}`;
      expect(told.map(({ event }) => event)).toEqual(["archive_failed"]);
      await turn({ retentionDays: 30 });
      expect((await readArchiveStatus({ ...ctx, actor: { type: "command-line" } }))?.failure).toBeNull();
      expect(await visible()).toEqual([]);
    },
  );

  test("what is read back differs from what was written: no row goes, and the broken archive does not stay", async () => {
    await fill(monthStart, monthStart + HOUR, 60);
    const lying: ArchiveStorage = Object.assign(Object.create(storage), {
      async put(name: string, content: AsyncIterable<Uint8Array>) {
        const size = await storage.put(name, content);
        if (name.endsWith(".gz"))
          await writeFile(join(folder, name), (await readFile(join(folder, name))).fill(7, 20, 21));
        return size;
      },
    });
    await expect(removeArchived(archiving({ storage: lying }), { start: 0, end: monthEnd })).rejects.toThrow(
      /checksum/,
    );
    expect((await visible()).length).toBe(60);
    expect((await readdir(folder, { recursive: true })).filter((name) => /\.(gz|json)$/.test(name))).toEqual([]);
  });
});

test("cut off after any file, the next turn goes on, and every row is archived and deleted once", async () => {
  for (let stopAfter = 1; stopAfter <= 6; stopAfter++) {
    await fill(monthStart, monthStart + 3 * DAY, 6 * HOUR);
    const before = await visible();
    const dying = dyingStorage(storage, stopAfter);
    await expect(removeArchived(archiving({ storage: dying }), { start: 0, end: monthEnd })).rejects.toThrow("killed");
    const left = await visible();
    await removeArchived(archiving(), { start: 0, end: monthEnd });
    expect(await visible()).toEqual([]);
    expect(await archived()).toEqual(before);
    expect(left.length).toBeGreaterThan(0);
    await rm(folder, { recursive: true });
    folder = await mkdtemp(join(tmpdir(), "weir-archive-"));
    storage = new FolderStorage(folder);
  }
});

test("stopped after a piece was archived and before it is deleted, the next turn uses its archive", async () => {
  await fill(monthStart, monthStart + DAY, HOUR);
  const before = await visible();
  const stop = new AbortController();
  let files = 0;
  const slow: ArchiveStorage = Object.assign(Object.create(storage), {
    async put(name: string, content: AsyncIterable<Uint8Array>) {
      files += 1;
      // Two files each: the first piece is deleted, the second is not.
      if (files === 4) stop.abort();
      return storage.put(name, content);
    },
  });
  const range = { start: 0, end: monthStart + DAY };
  await removeArchived(archiving({ storage: slow, pieceRows: 6, stopping: stop.signal }), range);
  expect((await visible()).length).toBe(18);
  await removeArchived(archiving({ pieceRows: 6 }), range);
  expect(await visible()).toEqual([]);
  expect(await archived()).toEqual(before);
  expect((await manifests()).map(({ rows }) => rows)).toEqual([6, 6, 6, 6]);
});

test("two workers at the same time lose no row and delete none that is not archived", async () => {
  await fill(monthStart, monthStart + 5 * DAY, HOUR);
  const before = await visible();
  const range = { start: 0, end: monthEnd };
  const reports = await Promise.all([1, 2, 3].map(() => removeArchived(archiving({ pieceRows: 9 }), range)));
  expect(await visible()).toEqual([]);
  expect(await archived()).toEqual(before);
  expect(reports.reduce((sum, { rows }) => sum + rows, 0)).toBe(before.length);
});

test("restored rows are those that were archived, leave balances, sums and the check of the books alone, and go again", async () => {
  const at = now - 10 * DAY;
  const settlements = [1, 2, 3].map((n) =>
    encodeSettlement({ ...settlementOf({ userId, quota: n }), createdAt: at + n }),
  );
  await bookSettlements(sql, null, settlements);
  const before = await visible();
  const books = () => sql`select (select array_agg(users order by id)::text from users) as users,
    (select array_agg(usage_hourly order by hour)::text from usage_hourly) as hours`;
  const booked = await books();
  await clearedUntil(midnight - 2 * DAY);
  await turn();
  expect(await visible()).toEqual([]);
  const range = { start: at - DAY, end: at + DAY };
  const restore = async () => {
    const part = await clearedPart(sql, range);
    const rows = readMerged(storage, await manifests(), { from: range.start, until: range.end });
    return restoreLogRows(sql, part ?? range, { rows, keepUntil: now + DAY });
  };
  expect(await restore()).toBe(3);
  expect(await restore()).toBe(0);
  expect(await visible()).toEqual(before);
  expect(await books()).toEqual(booked);
  const { differences } = await reconcileHours(sql, [await readComparableHours(sql)]);
  expect([...differences, ...(await reconcile(sql)).differences]).toEqual([]);
  await turn();
  expect(await visible()).toEqual(before);
  const archives = (await manifests()).length;
  await turn({ now: now + 2 * DAY });
  expect(await visible()).toEqual([]);
  expect(await archived()).toEqual(before);
  expect((await manifests()).length).toBe(archives);
});

test("what was not cleared cannot be restored", async () => {
  expect(await clearedPart(sql, { start: 0, end: now })).toBeNull();
  await clearedUntil(5_000);
  expect(await clearedPart(sql, { start: 4_000, end: now })).toEqual({ start: 4_000, end: 5_000 });
  expect(await clearedPart(sql, { start: 5_000, end: now })).toBeNull();
});

test("an edited manifest, a changed file and another file in its place are found", async () => {
  await fill(monthStart, monthStart + HOUR, 60);
  await removeArchived(archiving(), { start: 0, end: monthEnd });
  const [archive] = await listArchives(storage);
  const { name, sha256 } = archive as { name: string; sha256: string };
  await expect(verifyArchive(storage, name, sha256)).resolves.toMatchObject({ rows: 60 });
  await expect(verifyArchive(storage, name, "0".repeat(64))).rejects.toThrow(/not the one that was written/);
  const path = join(folder, `${name}.manifest.json`);
  const text = await readFile(path, "utf8");
  await writeFile(path, text.replace('"rows": 60', '"rows": 59'));
  await expect(verifyArchive(storage, name)).rejects.toThrow(/edited or damaged/);
  await writeFile(path, text.replace(name, name.replace(/.$/, "x")));
  await expect(verifyArchive(storage, name)).rejects.toThrow(/cannot be used/);
  await writeFile(path, text);
  const data = join(folder, `${name}.jsonl.gz`);
  const bytes = await readFile(data);
  await writeFile(data, bytes.subarray(0, -1));
  await expect(verifyArchive(storage, name)).rejects.toThrow(/bytes instead of/);
  await writeFile(data, Buffer.from(bytes).fill(0, 30, 31));
  await expect(verifyArchive(storage, name)).rejects.toThrow(/checksum/);
  expect(parseArchiveUrl(`folder:${folder}`)).toEqual({ kind: "folder", path: folder });
});
