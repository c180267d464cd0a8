// Clearing rewrites ClickHouse's parts as seldom as can be: whole days are dropped, other rows wait for each other.

import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { ROLE, type ServiceContext } from "@/lib/context";
import { clearStoredLogs } from "@/lib/log-store/clear-commands";
import { createLogStore, type LogStore } from "@/lib/log-store/clickhouse/client";
import { insertRows } from "@/lib/log-store/clickhouse/insert";
import { migrateLogStore } from "@/lib/log-store/clickhouse/migrations";
import { toStoreRow } from "@/lib/log-store/clickhouse/rows";
import { parseLogStoreUrl } from "@/lib/log-store/config";
import { logStore } from "@/lib/log-store/store";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { createRunFolder } from "@/lib/testing/run-folder";
import { until } from "@/lib/testing/until";
import { clearOldLogs } from "@/lib/usage-log/clear-old-logs-commands";
import { deleteClearedLogs, deleteLogs } from "@/lib/usage-log/commands";
import { listLogs } from "@/lib/usage-log/queries";
import { type OwnClickHouse, startOwnClickHouse } from "./own-clickhouse";

const [HOUR, DAY] = [3_600, 86_400];
const folder = createRunFolder("log-store-clearing");
/** Noon of today or of yesterday, so that the day before it begins twelve hours earlier. */
const noon = Math.floor(Date.now() / 1_000 / DAY) * DAY - DAY / 2;
let database: TestDatabase;
let clickhouse: OwnClickHouse;
let store: LogStore;
let nextId = 1;

beforeAll(async () => {
  [database, clickhouse] = await Promise.all([createTestDatabase(), startOwnClickHouse(folder)]);
});
beforeEach(async () => {
  const url = clickhouse.url.replace(/\/weir$/, `/weir_${randomBytes(4).toString("hex")}`);
  vi.stubEnv("LOG_STORE_URL", url);
  vi.useFakeTimers({ toFake: ["Date"], now: noon * 1_000 });
  store = createLogStore(parseLogStoreUrl(url));
  await migrateLogStore(store);
  await database.sql`truncate job_positions, log_outbox, log_archives, log_archive_status`;
});
afterEach(async () => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  await store.end();
});
afterAll(async () => {
  await logStore()?.end();
  await clickhouse?.stop();
  await database?.drop();
});

const root = (): ServiceContext => ({
  ...database,
  actor: { type: "user", id: 1, username: "root", role: ROLE.root, group: "default", via: "session" },
  clientIp: "",
});

/** A row every ten minutes. */
async function fill(from: number, end: number): Promise<void> {
  const rows = Array.from({ length: (end - from) / 600 }, (_, at) =>
    toStoreRow(
      { request_id: `r${nextId}`, created_at: from + at * 600, user_id: 1, content: "secret", client_ip: "1.2.3.4" },
      { id: nextId++ },
    ),
  );
  await insertRows(store, { shard: 1, rows, queryId: `fill-${nextId}` });
}

const mutations = async () =>
  (
    await store.query<{ command: string }>(
      "select any(command) as command from system.mutations where database = currentDatabase() and table = 'usage_logs' group by mutation_id",
    )
  ).map(({ command }) => command);
async function left(): Promise<string> {
  await until(async () => {
    const rows = await store.query(
      "select 1 as one from system.mutations where database = currentDatabase() and is_done = 0",
    );
    return rows.length === 0;
  }, 30_000);
  const [row] = await store.query<Record<"rows" | "shown", string>>(
    "select count() as rows, countIf(hidden = 0 or content <> '' or client_ip <> '') as shown from usage_logs",
  );
  return `${row?.rows} rows, ${row?.shown} with content`;
}

test("a deletion that an operator asks for is done at once, in one statement, and so is the next", async () => {
  await fill(noon - 3 * DAY, noon);
  const wanted = 3 * 144;
  expect(await deleteLogs(root(), noon - 2 * HOUR)).toBe(wanted - 12);
  expect(await left()).toBe("144 rows, 12 with content");
  expect(await mutations()).toHaveLength(1);
  expect(await deleteLogs(root(), noon - HOUR)).toBe(6);
  expect(await left()).toBe("144 rows, 6 with content");
  expect(await mutations()).toHaveLength(2);
  expect((await listLogs(root())).total).toBe(6);
});

test("while cleared rows get old, for a day, they are removed with their day and once in the end", async () => {
  await fill(noon - DAY, noon);
  expect(await deleteLogs(root(), noon - 2 * HOUR)).toBe(132);
  const [asked] = [await mutations()];
  expect(await left()).toBe("144 rows, 12 with content");
  // As the job does it, but without a pause between removals.
  const told: number[] = [];
  const cleared = noon - 2 * HOUR;
  for (let now = noon; now <= noon + DAY; now += 1_800) {
    const known = Math.min(cleared, now - DAY);
    told.push(await clearStoredLogs(store, { known, until: cleared, isAsked: false, pauseSeconds: 0 }));
    await left();
  }
  // Twelve hours of the first day, which is dropped; ten of the second.
  expect(told.filter((rows) => rows > 0)).toEqual([72, 60]);
  expect((await mutations()).length).toBe(asked.length + 1);
  expect(await left()).toBe("12 rows, 12 with content");
});

test("with archives as well, what was archived and hidden is not rewritten while it gets old", async () => {
  await fill(noon - DAY, noon);
  const settings = { url: `folder:${folder}/archives`, format: "jsonl", retentionDays: 0 } as const;
  mkdirSync(`${folder}/archives`);
  await clearOldLogs(database.sql, { ...settings, now: noon });
  await deleteLogs(root(), noon - 2 * HOUR);
  await clearOldLogs(database.sql, { ...settings, now: noon });
  expect(await left()).toBe("144 rows, 12 with content");
  const before = await mutations();
  for (let now = noon + HOUR; now <= noon + DAY; now += 2 * HOUR) {
    vi.setSystemTime(now * 1_000);
    expect(await clearOldLogs(database.sql, { ...settings, now })).toBe("0 archives, 0 rows");
  }
  expect(await mutations()).toEqual(before);
  expect(await left()).toBe("72 rows, 12 with content");
});

test("rows that come late are removed within the hour, and many of them together", async () => {
  await database.sql`insert into job_positions (job, position) values ('logs-cleared', ${noon - 5 * DAY})`;
  await fill(noon - 6 * DAY, noon - 5 * DAY + HOUR);
  expect(await deleteClearedLogs(database.sql)).toBe(144);
  expect(await left()).toBe("6 rows, 6 with content");
  expect(await mutations()).toHaveLength(1);
  for (let turn = 0; turn < 5; turn++) {
    await fill(noon - 5 * DAY - HOUR, noon - 5 * DAY);
    expect(await deleteClearedLogs(database.sql)).toBe(0);
  }
  expect((await listLogs(root())).total).toBe(6);
  const clearing = { known: noon - 5 * DAY, until: noon - 5 * DAY, isAsked: false };
  expect(await clearStoredLogs(store, { ...clearing, pauseSeconds: 0 })).toBe(30);
  expect(await left()).toBe("6 rows, 6 with content");
  expect(await mutations()).toHaveLength(2);
});

test("what the retention gives up is dropped by days, and rewrites nothing", async () => {
  await fill(noon - 6 * DAY, noon);
  const settings = { url: null, format: "jsonl", now: noon } as const;
  expect(await clearOldLogs(database.sql, { ...settings, retentionDays: 3 })).toBe(`${144 * 2 + 72} rows`);
  for (let turn = 0; turn < 3; turn++)
    expect(await clearOldLogs(database.sql, { ...settings, retentionDays: 3 })).toBe("0 rows");
  expect(await mutations()).toEqual([]);
  expect(await left()).toBe(`${144 * 3 + 72} rows, ${144 * 3 + 72} with content`);
});

test("nothing to clear, or a nonsense of a time, changes nothing", async () => {
  await fill(noon - HOUR, noon);
  for (const time of [1, 60, noon - DAY]) expect(await deleteLogs(root(), time)).toBe(0);
  for (const time of [0, -1, Number.NaN, 1.5, Number.POSITIVE_INFINITY]) {
    await expect(deleteLogs(root(), time)).rejects.toMatchObject({ code: "invalid" });
  }
  expect(await mutations()).toEqual([]);
  expect(await left()).toBe("6 rows, 6 with content");
});
