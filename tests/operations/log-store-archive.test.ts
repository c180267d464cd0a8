// Rows of the log in ClickHouse are archived before they are deleted: each is in an archive once, also when rows come late, the
// worker dies or a server is away. Debian's server.

import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ArchiveRow } from "@/lib/archive/columns";
import { FolderStorage } from "@/lib/archive/folder-storage";
import { listArchives } from "@/lib/archive/list-archives";
import type { Manifest } from "@/lib/archive/manifest";
import { readMerged } from "@/lib/archive/read-rows";
import type { ArchiveStorage } from "@/lib/archive/storage";
import type { ServiceContext } from "@/lib/context";
import { createLogStore, type LogStore } from "@/lib/log-store/clickhouse/client";
import { insertRows } from "@/lib/log-store/clickhouse/insert";
import { migrateLogStore } from "@/lib/log-store/clickhouse/migrations";
import { toStoreRow } from "@/lib/log-store/clickhouse/rows";
import { parseLogStoreUrl } from "@/lib/log-store/config";
import { createShipper } from "@/lib/log-store/ship";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { dyingStorage } from "@/lib/testing/dying-storage";
import { rewriteBooks } from "@/lib/testing/rewrite-books";
import { createRunFolder } from "@/lib/testing/run-folder";
import { until } from "@/lib/testing/until";
import { readArchiveStatus } from "@/lib/usage-log/archive-status-queries";
import { clearOldLogs } from "@/lib/usage-log/clear-old-logs-commands";
import { removeStoredArchived } from "@/lib/usage-log/clear-stored-commands";
import { deleteLogs } from "@/lib/usage-log/commands";
import { listLogs } from "@/lib/usage-log/queries";
import { restoreLogRows } from "@/lib/usage-log/restore-commands";
import { type OwnClickHouse, startOwnClickHouse } from "./own-clickhouse";

const DAY = 86_400;
const HOUR = 3_600;
const now = Math.floor(Date.now() / 1_000);
const midnight = now - (now % DAY);
const folder = createRunFolder("log-store-archive");

let database: TestDatabase;
let clickhouse: OwnClickHouse;
let store: LogStore;
let ctx: ServiceContext;
let archives: string;
let storage: FolderStorage;
let nextId: number;

beforeAll(async () => {
  [database, clickhouse] = await Promise.all([createTestDatabase(), startOwnClickHouse(join(folder, "store"))]);
  process.env.LOG_STORE_URL = clickhouse.url;
  store = createLogStore(parseLogStoreUrl(clickhouse.url));
  await migrateLogStore(store);
  ctx = { ...database, actor: { type: "command-line" }, clientIp: "" };
});
afterAll(async () => {
  delete process.env.LOG_STORE_URL;
  await store?.end();
  await clickhouse?.stop();
  await database?.drop();
});
beforeEach(async () => {
  archives = await mkdtemp(join(folder, "archives-"));
  storage = new FolderStorage(archives);
  await storage.prepare(false);
  nextId = 2 ** 32 + 1;
});
afterEach(async () => {
  for (const { partition } of await store.query<{ partition: string }>(
    "select distinct partition from system.parts where active and table = 'usage_logs' and database = currentDatabase()",
  )) {
    await store.servers[0]?.client.command({ query: `alter table usage_logs drop partition ${partition}` });
  }
  await database.sql`truncate log_archives, log_restores, log_archive_status, job_positions, log_outbox, log_batches`;
  await rewriteBooks(database.sql, (tx) => tx`delete from usage_logs`);
  await rm(archives, { recursive: true });
});

const lineOf = (at: number, own: object = {}) => ({
  request_id: `row-${at}`,
  created_at: at,
  user_id: 1 + (at % 7),
  username: 'zoë\t"😀"',
  content: "line\nof text, \\ and '",
  quota: at,
  cost: at % 2 === 0 ? at : null,
  is_stream: at % 3 === 0,
  other: { note: "a\nb", n: 1.5 },
  ...own,
});

/** Rows in ClickHouse, one every `step` seconds, in no particular order of time. */
async function fill(from: number, end: number, step: number, own: object = {}): Promise<void> {
  const rows: ReturnType<typeof toStoreRow>[] = [];
  for (let at = from; at < end; at += step) rows.push(toStoreRow(lineOf(at, own), { id: nextId++, batch: 1 }));
  await insertRows(store, { shard: 1, rows: rows.reverse(), queryId: `fill-${nextId}` });
}

const inStore = (where = "hidden = 0") =>
  store
    .query<{ request_id: string }>(
      `select request_id from usage_logs where ${where} order by created_at, id limit 1 by created_at, id`,
    )
    .then((rows) => rows.map(({ request_id }) => request_id));

async function archived(): Promise<ArchiveRow[]> {
  const manifests = (await listArchives(storage)).map(({ manifest }) => manifest as Manifest);
  const rows: ArchiveRow[] = [];
  for await (const row of readMerged(storage, manifests, { from: 0, until: Number.MAX_SAFE_INTEGER })) rows.push(row);
  return rows;
}
const admin = (): ServiceContext => ({
  ...ctx,
  actor: { type: "user", id: 1, username: "admin", role: 100, group: "default", via: "session" },
});
const requests = async () => (await archived()).map(({ request_id }) => request_id);

type Settings = Partial<Parameters<typeof clearOldLogs>[1]>;
const turn = (own: Settings = {}) =>
  clearOldLogs(database.sql, { url: `folder:${archives}`, format: "jsonl", retentionDays: 30, now, ...own });
const archiving = (own: object = {}) =>
  ({ sql: database.sql, storage, place: `folder:${archives}`, format: "jsonl", ...own }) as const;

describe.each(["jsonl", "parquet"] as const)("as %s", (format) => {
  test("what the retention gives up is archived day by day from both stores, with the same content, and only then deleted", async () => {
    await fill(midnight - 33 * DAY, midnight - 28 * DAY, HOUR);
    await fill(midnight - 32 * DAY, midnight - 32 * DAY + HOUR, HOUR, { hidden: true, request_id: "hidden" });
    // From before the store was switched on, in the middle of a day.
    await database.sql`
      insert into usage_logs (request_id, created_at, user_id)
      select 'early-' || at, at, 3 from generate_series(${midnight - 34 * DAY}::bigint, ${midnight - 33 * DAY + 10}::bigint, 3600) as at`;
    const before = await inStore();
    expect(await turn({ format, pieceRows: 10 })).toMatch(/^\d+ archives, 97 rows$/);
    const rows = await archived();
    expect(rows.length).toBe(97);
    const cutoff = midnight - 30 * DAY;
    const stored = rows.filter(({ request_id: id }) => !String(id).startsWith("early-"));
    expect(stored.map(({ request_id: id }) => id)).toEqual(before.slice(0, 72));
    for (const row of stored) {
      const at = Number(row.created_at);
      const { other, ...line } = lineOf(at);
      expect(row).toMatchObject({ ...line, type: 2, status_code: null });
      expect(JSON.parse(String(row.other))).toEqual(other);
    }
    expect(await inStore("1")).toEqual(before.slice(72));
    expect((await inStore("1")).length).toBe(48);
    expect((await database.sql`select 1 from usage_logs where created_at < ${cutoff}`).length).toBe(0);
    expect(await turn({ format })).toBe("0 archives, 0 rows");
  });
});

test("a row that is there twice is archived once, and many rows of one second are all archived", async () => {
  const at = midnight - 40 * DAY;
  await fill(at, at + 100, 1);
  nextId -= 100;
  await fill(at, at + 100, 1);
  const many = Array.from({ length: 12_000 }, () =>
    toStoreRow(lineOf(at + 200, { request_id: `many-${nextId}` }), { id: nextId++, batch: 1 }),
  );
  await insertRows(store, { shard: 1, rows: many, queryId: "many" });
  expect(await turn()).toBe("1 archives, 12100 rows");
  const found = await requests();
  expect([found.length, new Set(found).size]).toEqual([12_100, 12_100]);
  expect(await inStore("1")).toEqual([]);
});

test("a row that is sent after its day was read, and after its day was dropped, is archived before it goes", async () => {
  const day = midnight - 40 * DAY;
  await fill(day, day + DAY, HOUR);
  const late = async (id: string) => {
    await database.sql`insert into log_outbox (row_count, body) values (1, ${JSON.stringify(lineOf(day + 5, { request_id: id }))})`;
    expect((await createShipper({ sql: database.sql, store })()).failure).toBeNull();
  };
  let isFirst = true;
  const slow: ArchiveStorage = Object.assign(Object.create(storage), {
    async put(name: string, content: AsyncIterable<Uint8Array>) {
      const size = await storage.put(name, content);
      if (isFirst) await late("late");
      isFirst = false;
      return size;
    },
  });
  const report = await removeStoredArchived(archiving({ storage: slow }), store, [{ start: 0, end: midnight }]);
  expect(report).toEqual({ archives: 2, rows: 25 });
  expect(await inStore("1")).toEqual([]);
  await late("later");
  await turn();
  expect(await inStore("1")).toEqual([]);
  const found = await requests();
  expect([found.length, new Set(found).size]).toEqual([26, 26]);
  expect(found).toEqual(expect.arrayContaining(["late", "later"]));
});

test("while a day is dropped nothing is sent, and a stretch that was just put back is left", async () => {
  const day = midnight - 40 * DAY;
  await fill(day, day + DAY, HOUR);
  await database.sql`insert into log_outbox (row_count, body) values (1, ${JSON.stringify(lineOf(day + 5))})`;
  let isShipped = false;
  await database.sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended('weir-log-store-rows', 0))`;
    void createShipper({ sql: database.sql, store })().then(() => {
      isShipped = true;
    });
    await until(async () => {
      const rows = await database.sql`select 1 from pg_locks where locktype = 'advisory' and not granted`;
      return rows.length > 0;
    }, 10_000);
    expect(isShipped).toBe(false);
    expect((await inStore()).length).toBe(24);
  });
  await until(() => isShipped, 10_000);
  expect((await inStore()).length).toBe(25);
  const restored: ArchiveStorage = Object.assign(Object.create(storage), {
    async put(name: string, content: AsyncIterable<Uint8Array>) {
      await database.sql`insert into log_restores (from_time, until_time, keep_until) values (${day}, ${day + 9}, ${now + DAY})`;
      return storage.put(name, content);
    },
  });
  await removeStoredArchived(archiving({ storage: restored }), store, [{ start: 0, end: midnight }]);
  expect((await inStore()).length).toBe(25);
});

test("cut off after any file, the next turn goes on, and every row is archived and deleted once", async () => {
  const from = midnight - 40 * DAY;
  for (let stopAfter = 1; stopAfter <= 4; stopAfter++) {
    await fill(from, from + 2 * DAY, 6 * HOUR);
    const before = await inStore();
    const dying = dyingStorage(storage, stopAfter);
    await expect(
      removeStoredArchived(archiving({ storage: dying }), store, [{ start: 0, end: midnight }]),
    ).rejects.toThrow("killed");
    await removeStoredArchived(archiving(), store, [{ start: 0, end: midnight }]);
    expect(await inStore("1")).toEqual([]);
    expect(await requests()).toEqual(before);
    await rm(archives, { recursive: true });
    archives = await mkdtemp(join(folder, "archives-"));
    storage = new FolderStorage(archives);
    await database.sql`truncate log_archives`;
    nextId += 1_000;
  }
});

test("clearing by hand says how many rows it will be, hides them at once, and archives them before they are emptied", async () => {
  await turn();
  await fill(now - 3 * DAY, now - 2 * DAY, HOUR);
  await fill(now - 10 * HOUR, now - 5 * HOUR, HOUR);
  const before = await inStore();
  expect(await deleteLogs(ctx, now - 4 * HOUR)).toBe(29);
  expect((await inStore()).length).toBe(29);
  expect((await listLogs(admin(), { startTimestamp: 1, endTimestamp: now })).items).toEqual([]);
  expect(await readArchiveStatus(ctx)).toMatchObject({ waitingBefore: now - 4 * HOUR, failure: null });
  await turn();
  expect(await requests()).toEqual(before);
  await until(async () => (await inStore()).length === 0, 20_000);
  expect(await inStore("content != '' or client_ip != '' or other != '{}'")).toEqual([]);
  expect(await readArchiveStatus(ctx)).toMatchObject({ waitingBefore: null, newest: { rows: expect.any(Number) } });
  const count = (await listArchives(storage)).length;
  expect(await turn()).toBe("0 archives, 0 rows");
  expect((await listArchives(storage)).length).toBe(count);
});

test("restored rows are where the log is, each once however often, are shown, and go again without another archive", async () => {
  const day = midnight - 40 * DAY;
  await fill(day, day + DAY, HOUR);
  await database.sql`insert into usage_logs (request_id, created_at, user_id) values ('early', ${day + 7}, 1)`;
  const before = await inStore();
  await turn();
  const count = (await listArchives(storage)).length;
  const range = { start: day, end: day + DAY };
  const restore = async () => {
    const manifests = (await listArchives(storage)).map(({ manifest }) => manifest as Manifest);
    const rows = readMerged(storage, manifests, { from: range.start, until: range.end });
    return restoreLogRows(database.sql, range, { rows, keepUntil: now + DAY });
  };
  expect(await restore()).toBe(25);
  expect(await restore()).toBe(0);
  expect((await inStore()).sort()).toEqual([...before, "early"].sort());
  expect((await database.sql`select 1 from usage_logs`).length).toBe(0);
  const shown = await listLogs(admin(), { startTimestamp: day, endTimestamp: day + DAY, pageSize: 100 });
  expect(shown.items.length).toBe(25);
  await turn();
  expect((await inStore()).length).toBe(25);
  await turn({ now: now + 2 * DAY });
  expect(await inStore("1")).toEqual([]);
  expect((await listArchives(storage)).length).toBe(count);
});

test("while the log store is away nothing is deleted, and the console is told so", async () => {
  const day = midnight - 40 * DAY;
  await fill(day, day + DAY, HOUR);
  await clickhouse.servers[0]?.kill();
  await expect(turn()).rejects.toThrow(/log store is away/);
  await clickhouse.servers[0]?.startAgain();
  expect((await readArchiveStatus(ctx))?.failure?.reason).toMatch(/log store is away/);
  await until(async () => (await turn().catch(() => "")) === "1 archives, 24 rows", 30_000);
  // What another test has dropped a moment before may be back after a kill: a server removes its files later.
  expect(await inStore(`created_at >= ${day} and created_at < ${day + DAY}`)).toEqual([]);
});
