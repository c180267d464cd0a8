// Two shards of two replicas of ClickHouse, from the files that docs/cluster.md names: each row of the log is there once, also
// when a replica dies while rows are sent, and a reader that asks any server finds it.

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { FolderStorage } from "@/lib/archive/folder-storage";
import { listArchives } from "@/lib/archive/list-archives";
import { readMerged } from "@/lib/archive/read-rows";
import { bookSettlements } from "@/lib/billing/settlement-batch";
import { encodeSettlement } from "@/lib/billing/settlement-row";
import { createLogStore, type LogStore, queryOn } from "@/lib/log-store/clickhouse/client";
import { migrateLogStore } from "@/lib/log-store/clickhouse/migrations";
import { parseLogStoreUrl } from "@/lib/log-store/config";
import { readOutbox } from "@/lib/log-store/outbox-queries";
import { createShipper, type ShipStep } from "@/lib/log-store/ship";
import { logStore } from "@/lib/log-store/store";
import { createBilledUser, settlementOf } from "@/lib/testing/billing";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { createRunFolder } from "@/lib/testing/run-folder";
import { until } from "@/lib/testing/until";
import { countByTime } from "@/lib/usage-log/bar-queries";
import { clearOldLogs } from "@/lib/usage-log/clear-old-logs-commands";
import { deleteClearedLogs, deleteLogs } from "@/lib/usage-log/commands";
import { listFailureGroups } from "@/lib/usage-log/failure-queries";
import { listLogs } from "@/lib/usage-log/queries";
import { restoreLogRows } from "@/lib/usage-log/restore-commands";
import { sumLogs } from "@/lib/usage-log/sum-queries";
import {
  contextOf,
  drawing,
  everywhere,
  expectSame,
  fillPlace,
  PEOPLE,
  type Place,
  randomSearch,
  sortedGroups,
  testRows,
} from "./log-store-places";
import { seeded } from "./log-store-rows";
import { type OwnClickHouse, startOwnClickHouse } from "./own-clickhouse";

const BATCH = { rows: 50, bytes: 1e6 };
const CAUGHT_UP_MS = 30_000;
const HOUR = 3_600;
const DAY = 86_400;

let database: TestDatabase;
let clickhouse: OwnClickHouse;
let store: LogStore;
let userId: number;
const booked: string[] = [];

beforeAll(async () => {
  const folder = join(createRunFolder("log-store-cluster"), "store");
  [database, clickhouse] = await Promise.all([createTestDatabase(), startOwnClickHouse(folder, { isCluster: true })]);
  process.env.LOG_STORE_URL = clickhouse.url;
  store = createLogStore(parseLogStoreUrl(clickhouse.url));
  expect(await migrateLogStore(store)).toEqual({ applied: 12, away: [] });
  userId = await createBilledUser(database, 1_000_000_000);
});
afterAll(async () => {
  delete process.env.LOG_STORE_URL;
  await store?.end();
  await clickhouse?.stop();
  await database?.drop();
});

async function book(flushes: number): Promise<void> {
  for (let flush = 0; flush < flushes; flush++) {
    const rows = Array.from({ length: 20 }, () =>
      encodeSettlement(settlementOf({ userId, quota: 3, requestId: randomUUID() })),
    );
    await bookSettlements(database.sql, null, rows);
    booked.push(...rows.map(({ requestId }) => requestId));
  }
}

const ship = (onStep?: (step: ShipStep) => void | Promise<void>) =>
  createShipper({ sql: database.sql, store, bounds: BATCH, ...(onStep && { onStep }) })();

/** What each server of the cluster answers for all shards. */
const seenBy = (at: number) =>
  queryOn<{ id: string }>(
    store.servers[at] as LogStore["servers"][number],
    `select request_id as id from usage_logs where user_id = ${userId} order by id`,
  ).then((rows) => rows.map(({ id }) => id));

test("every server knows its shard, and rows that have left the outbox are found at each of them, once", async () => {
  expect(await Promise.all(store.servers.map((server) => server.shard()))).toEqual([1, 1, 2, 2]);
  await book(10);
  expect((await ship()).failure).toBeNull();
  expect((await readOutbox(database.sql)).rows).toBe(0);
  for (let at = 0; at < store.servers.length; at++) expect(await seenBy(at)).toEqual([...booked].sort());
});

describe("reads of a log on two shards (B159, B250, B295)", () => {
  const now = Math.floor(Date.now() / 1_000);
  const random = seeded(23);
  const rows = testRows(600, now, random);
  const { oneOf } = drawing(random);
  let places: Place[] = [];

  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: now * 1_000 });
    places = [
      { name: "PostgreSQL", database: await createTestDatabase(), url: "" },
      { name: "cluster", database: await createTestDatabase(), url: clickhouse.url.replace("/weir?", "/reads?") },
    ];
    for (const place of places) await fillPlace(place, rows, now);
  });
  afterAll(async () => {
    vi.useRealTimers();
    vi.unstubAllEnvs();
    await logStore()?.end();
    process.env.LOG_STORE_URL = clickhouse.url;
    for (const place of places) await place.database.drop();
  });

  async function askAlike(rounds: number): Promise<void> {
    for (let round = 0; round < rounds; round++) {
      const search = round === 0 ? { pageSize: 100 } : randomSearch(rows, now, random);
      const { role, id } = oneOf(PEOPLE);
      const ctx = (place: Place) => contextOf(place, role, id);
      await expectSame(places, search, (place) => listLogs(ctx(place), search));
      await expectSame(places, search, (place) => sumLogs(ctx(place), search));
      await expectSame(places, search, (place) => countByTime(ctx(place), search));
      await expectSame(places, search, async (place) => sortedGroups(await listFailureGroups(ctx(place), search)));
    }
  }

  /** Rows of the log before a time at each server's own table, hidden ones apart. */
  async function leftAt(until: number): Promise<string[]> {
    const reads = createLogStore(parseLogStoreUrl(places[1]?.url ?? ""));
    try {
      const count = `select countIf(created_at < ${now - DAY}) as old, countIf(created_at < ${until} and hidden = 0) as shown,
        countIf(created_at >= ${until}) as young from usage_logs_local`;
      const left = reads.servers.map((server) => queryOn<Record<"old" | "shown" | "young", string>>(server, count));
      return (await Promise.all(left)).map(([row]) => `${row?.old} ${row?.shown} ${row?.young}`);
    } finally {
      await reads.end();
    }
  }

  test("lists, sums, bars and groups are those of PostgreSQL, also with one replica of each shard dead", async () => {
    await askAlike(15);
    const dead = clickhouse.servers.filter((_, at) => at % 2 === 0);
    await Promise.all(dead.map((server) => server.kill()));
    await askAlike(8);
    await Promise.all(dead.map((server) => server.startAgain()));
  });

  test("what is cleared is gone on all servers, once and for all, and nothing else; a replica that was away catches up", async () => {
    const cleared = now - 2 * HOUR;
    const away = clickhouse.servers[1];
    await away?.kill();
    const [here] = await everywhere(places, (place) => deleteLogs(contextOf(place, 100, 4), cleared));
    expect(here).toBeGreaterThan(0);
    await expectSame(places, "cleared", (place) => listLogs(contextOf(place, 100, 4), { pageSize: 100 }));
    await away?.startAgain();
    const young = shardsOfRows().map((shard) => shard.filter((row) => Number(row.json.created_at) >= cleared).length);
    const expected = young.flatMap((count) => [`0 0 ${count}`, `0 0 ${count}`]);
    // As the job does every hour: for seconds after its death a shard may have no leader.
    await until(async () => {
      await everywhere(places, ({ database: { sql } }) => deleteClearedLogs(sql).catch(() => 0));
      return JSON.stringify(await leftAt(cleared).catch(() => [])) === JSON.stringify(expected);
    }, CAUGHT_UP_MS);
    for (let again = 0; again < 2; again++) {
      expect(await everywhere(places, ({ database: { sql } }) => deleteClearedLogs(sql))).toEqual([0, 0]);
    }
    expect(await leftAt(cleared)).toEqual(expected);
    await expectSame(places, "cleared", (place) => listLogs(contextOf(place, 100, 4), { pageSize: 100 }));
  });

  /** As fillPlace has sent them. */
  function shardsOfRows(): (typeof rows)[] {
    const batch = (at: number) => Math.floor(at / 100) + 1;
    return [1, 2].map((shard) => rows.filter((_, at) => (batch(at) % 2) + 1 === shard));
  }
});

test("a replica that dies while rows are sent, and a shipper that dies after each step, leave every row there once", async () => {
  const [first] = clickhouse.servers;
  for (const death of ["claimed", "read", "sent"] as const) {
    await book(10);
    let steps = 0;
    const died = ship(async (step) => {
      if (step !== death || ++steps < 2) return;
      await first?.kill();
      throw new Error(`dies after ${death}`);
    });
    await expect(died).rejects.toThrow(`dies after ${death}`);
    // The rest goes on without the replica.
    await until(async () => (await ship()).failure === null, CAUGHT_UP_MS);
    await first?.startAgain();
    await until(async () => (await seenBy(0).catch(() => [])).length >= booked.length, CAUGHT_UP_MS);
  }
  expect((await readOutbox(database.sql)).rows).toBe(0);
  await until(async () => {
    const counts = await Promise.all(store.servers.map((_, at) => seenBy(at)));
    return counts.every(({ length }) => length >= booked.length);
  }, CAUGHT_UP_MS);
  for (let at = 0; at < store.servers.length; at++) expect(await seenBy(at)).toEqual([...booked].sort());
});

test("without ZooKeeper the rows wait, and are sent when it is back", async () => {
  await clickhouse.zookeeper?.kill();
  await book(5);
  expect((await ship()).failure).not.toBeNull();
  expect((await readOutbox(database.sql)).rows).toBe(100);
  await clickhouse.zookeeper?.startAgain();
  await until(async () => (await ship()).failure === null, 60_000);
  expect((await readOutbox(database.sql)).rows).toBe(0);
  expect(await seenBy(3)).toEqual([...booked].sort());
});

test("the log of all shards is archived before its days are dropped at every replica, also one that was away, and put back once", async () => {
  const archives = createRunFolder("log-store-cluster-archives");
  const storage = new FolderStorage(archives);
  const day = Math.floor(Date.now() / 86_400_000) * 86_400 - 40 * 86_400;
  const old = Array.from({ length: 60 }, (_, at) => ({
    request_id: `old-${at}`,
    created_at: day + at * 60,
    user_id: userId,
  }));
  // As in a worker, whose runs often find one batch.
  const shipInTurn = createShipper({ sql: database.sql, store, bounds: BATCH });
  for (const part of [old.slice(0, 30), old.slice(30)]) {
    const body = part.map((row) => JSON.stringify(row)).join("\n");
    await database.sql`insert into log_outbox (row_count, body) values (${part.length}, ${body})`;
    await until(async () => (await shipInTurn()).failure === null, CAUGHT_UP_MS);
  }
  const oldAt = (at: number) =>
    queryOn<{ id: string }>(
      store.servers[at] as LogStore["servers"][number],
      `select request_id as id from usage_logs where created_at < ${day + 86_400} order by id`,
    ).then((rows) => rows.map(({ id }) => id));
  const wanted = old.map(({ request_id: id }) => id).sort();
  await until(async () => (await oldAt(1)).length === 60, CAUGHT_UP_MS);
  const turn = () =>
    clearOldLogs(database.sql, {
      url: `folder:${archives}`,
      format: "jsonl",
      retentionDays: 30,
      now: Math.floor(Date.now() / 1_000),
    });
  const [first] = clickhouse.servers;
  await first?.kill();
  // Shards take turns, so that both have rows of that day. For ten seconds the one has no leader that drops days.
  let removed = 0;
  await until(async () => {
    removed += Number(/(\d+) rows/.exec(await turn().catch(() => ""))?.[1] ?? 0);
    return removed >= 60;
  }, CAUGHT_UP_MS);
  expect([removed, (await listArchives(storage)).length]).toEqual([60, 2]);
  await first?.startAgain();
  for (let at = 0; at < store.servers.length; at++) {
    await until(async () => (await oldAt(at).catch(() => ["?"])).length === 0, CAUGHT_UP_MS);
  }
  const range = { start: day, end: day + 86_400 };
  const restore = async () => {
    const manifests = (await listArchives(storage)).flatMap(({ manifest }) => manifest ?? []);
    const rows = readMerged(storage, manifests, { from: range.start, until: range.end });
    return restoreLogRows(database.sql, range, { rows, keepUntil: Math.floor(Date.now() / 1_000) + 60 });
  };
  expect(await restore()).toBe(60);
  expect(await restore()).toBe(0);
  for (let at = 0; at < store.servers.length; at++) {
    await until(async () => (await oldAt(at)).length >= 60, CAUGHT_UP_MS);
    expect(await oldAt(at)).toEqual(wanted);
  }
});
