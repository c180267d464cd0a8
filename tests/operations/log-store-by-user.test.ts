// The log of ClickHouse in the order of users: an installation from before gets it, it has every row of the log once, and lists read
// little of it.

import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { users } from "@/db/schema";
import type { ServiceContext } from "@/lib/context";
import { shipLogs } from "@/lib/jobs/ship-logs";
import { completeByUser } from "@/lib/log-store/by-user-commands";
import { clearStoredLogs } from "@/lib/log-store/clear-commands";
import { LOGS_CLEARED } from "@/lib/log-store/cleared";
import { BY_USER_COLUMNS, BY_USER_TABLE, BY_USER_WHOLE, byUserRowOf } from "@/lib/log-store/clickhouse/by-user";
import { commandOn, createLogStore, insertOn, type LogStore } from "@/lib/log-store/clickhouse/client";
import { fillHourTable, HOURS_TABLE, hourRowsOf } from "@/lib/log-store/clickhouse/hours";
import { insertRows } from "@/lib/log-store/clickhouse/insert";
import { migrateLogStore, missingMigrations } from "@/lib/log-store/clickhouse/migrations";
import { toStoreRow } from "@/lib/log-store/clickhouse/rows";
import { LOG_TABLE } from "@/lib/log-store/clickhouse/tables";
import { parseLogStoreUrl } from "@/lib/log-store/config";
import { logStoreOutage } from "@/lib/log-store/outage";
import { removeStored } from "@/lib/log-store/remove-commands";
import { beginPutBack } from "@/lib/log-store/restore-commands";
import { createShipper } from "@/lib/log-store/ship";
import { logStore } from "@/lib/log-store/store";
import { sumStored } from "@/lib/log-store/stretch-queries";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { createRunFolder } from "@/lib/testing/run-folder";
import { until } from "@/lib/testing/until";
import { listLogs } from "@/lib/usage-log/queries";
import type { LogSearch } from "@/lib/usage-log/schemas";
import { fillDay } from "@/tools/bench/log-store-rows";
import { testRows } from "./log-store-places";
import { seeded } from "./log-store-rows";
import { type OwnClickHouse, startOwnClickHouse } from "./own-clickhouse";

const DAY = 86_400;
const now = Math.floor(Date.now() / 1_000);
const rows = testRows(400, now, seeded(31)).map(({ id, json }, place) =>
  toStoreRow(place % 9 === 4 ? ofMadeUp(json) : json, { id }),
);
let database: TestDatabase;
let clickhouse: OwnClickHouse;
let store: LogStore;
let server: LogStore["servers"][number];
let ctx: ServiceContext;

/** A refusal of a model that no channel has. */
function ofMadeUp(json: Record<string, unknown>): Record<string, unknown> {
  return { ...json, model_name: "", other: { requested_model: "gpt-é😀", text: "x" } };
}

beforeAll(async () => {
  const folder = createRunFolder("log-store-by-user");
  [database, clickhouse] = await Promise.all([createTestDatabase(), startOwnClickHouse(folder)]);
  await database.db.insert(users).values([1, 2, 3, 4, 77].map((id) => ({ id, username: `user${id}` })));
  ctx = { ...database, actor: { type: "command-line" }, clientIp: "" };
});
beforeEach(() => {
  const url = clickhouse.url.replace(/\/weir$/, `/weir_${randomBytes(4).toString("hex")}`);
  vi.stubEnv("LOG_STORE_URL", url);
  store = createLogStore(parseLogStoreUrl(url));
  const [first] = store.servers;
  if (!first) throw new Error("there is no server");
  server = first;
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await store.end();
  await database.sql`delete from job_positions where job = any(${[LOGS_CLEARED, BY_USER_WHOLE]})`;
});
afterAll(async () => {
  await logStore()?.end();
  await clickhouse?.stop();
  await database?.drop();
});

const columns = BY_USER_COLUMNS.map((name) => `\`${name}\``).join(", ");
const all = (table: string, madeUp = "requested_model") =>
  store.query<Record<string, unknown>>(`select ${columns}, ${madeUp} as made_up from ${table} order by created_at, id`);

/** In both tables the same rows, each as often. */
async function expectAlike(count: number): Promise<void> {
  const log = await all(LOG_TABLE, "if(model_name = '', visitParamExtractString(other, 'requested_model'), '')");
  expect(log).toHaveLength(count);
  expect(await all(BY_USER_TABLE)).toEqual(log);
}

/** As a version before the table sends rows. */
async function sendAsBefore(some: typeof rows): Promise<void> {
  await insertOn(server, { table: HOURS_TABLE, rows: hourRowsOf(some) });
  await insertOn(server, { table: LOG_TABLE, rows: some });
}

/** As a version before left the tables. */
async function makeAsBefore(): Promise<void> {
  await commandOn(server, `drop table ${BY_USER_TABLE}`);
  await commandOn(server, "drop table weir_migrations");
  await commandOn(
    server,
    "create table weir_migrations (version UInt32, name String, applied_at UInt32) engine = MergeTree() order by version",
  );
  await insertOn(server, {
    table: "weir_migrations",
    rows: [1, 2].map((version) => ({ version, name: `of version ${version}`, applied_at: 1 })),
  });
}

const shownOf = (user: number, some = rows) =>
  some.filter(({ user_id: id, hidden }) => id === user && hidden === 0).length;

async function complete(): Promise<void> {
  const known = new Map<string, string>();
  while ((await completeByUser(database.sql, store, known)) > 0);
}

test("a log of a version before is put in the order of users day by day, and lists have all of it at any time", async () => {
  await migrateLogStore(store);
  await makeAsBefore();
  await sendAsBefore(rows);
  const madeUp = rows.filter((_, place) => place % 9 === 4);
  const expectWholeLists = async () => {
    expect((await listLogs(ctx, { username: "user2" })).total).toBe(shownOf(2));
    expect((await listLogs(ctx, { username: "user2", modelName: "gpt-é%" })).total).toBe(shownOf(2, madeUp));
  };
  await expectWholeLists();
  expect(await missingMigrations(server, store)).toEqual([3]);
  // Two machines that start at once.
  const other = createLogStore(store.config);
  await Promise.all([migrateLogStore(store), migrateLogStore(other)]);
  await other.end();
  expect(await migrateLogStore(store)).toEqual({ applied: 0, away: [] });
  await expectWholeLists();
  let turns = 0;
  for (; (await completeByUser(database.sql, store)) > 0; turns++) await expectWholeLists();
  expect(turns).toBeGreaterThan(1);
  await expectAlike(400);
  expect(await notes()).toBe(1);
  await expectWholeLists();
});

const notes = async () => (await database.sql`select 1 from job_positions where job = ${BY_USER_WHOLE}`).length;

test("a completion that ended in the middle, and two at once, leave each row once", async () => {
  await migrateLogStore(store);
  await sendAsBefore(rows);
  const stopping = new AbortController();
  stopping.abort();
  await completeByUser(database.sql, store, new Map(), stopping.signal);
  expect(await all(BY_USER_TABLE)).toEqual([]);
  const halves = rows.filter((_, place) => place % 2 === 0).map(byUserRowOf);
  await insertOn(server, { table: BY_USER_TABLE, rows: halves });
  await Promise.all([complete(), complete()]);
  await expectAlike(400);
});

test("rows that a version before sends beside are taken over, each once", async () => {
  await migrateLogStore(store);
  await insertRows(store, { shard: 1, rows: rows.slice(0, 350), queryId: "first" });
  await expectAlike(350);
  expect(await completeByUser(database.sql, store)).toBe(0);
  await sendAsBefore(rows.slice(350));
  expect((await listLogs(ctx, { username: "user3" })).total).toBe(shownOf(3, rows.slice(0, 350)));
  expect(await completeByUser(database.sql, store)).toBeGreaterThan(0);
  expect((await listLogs(ctx, { username: "user3" })).total).toBe(shownOf(3));
  await complete();
  await expectAlike(400);
  expect((await listLogs(ctx, { username: "user3" })).total).toBe(shownOf(3));
  expect(await completeByUser(database.sql, store)).toBe(0);
});

test("a day whose log has rows twice until the server merges is looked through once", async () => {
  await migrateLogStore(store);
  await commandOn(server, `system stop merges ${LOG_TABLE}`);
  await insertRows(store, { shard: 1, rows: rows.slice(0, 9), queryId: "once" });
  await insertRows(store, { shard: 1, rows: rows.slice(0, 1), byUser: [], queryId: "again" });
  const known = new Map<string, string>();
  expect(await completeByUser(database.sql, store, known)).toBe(1);
  expect(await completeByUser(database.sql, store, known)).toBe(0);
  expect(await all(BY_USER_TABLE)).toHaveLength(9);
});

test("rows that were cleared do not come back into the order of users, and go from both tables", async () => {
  await migrateLogStore(store);
  await insertRows(store, { shard: 1, rows, queryId: "all" });
  const known = Math.floor(now / DAY) * DAY - DAY + 7_200;
  const left = rows.filter(({ created_at: at }) => Number(at) >= known).length;
  await database.sql`insert into job_positions (job, position) values (${LOGS_CLEARED}, ${known})`;
  // The servers remove rows in the background: here from the order of users first.
  await commandOn(server, `alter table ${BY_USER_TABLE} delete where created_at < ${known}`);
  await settled();
  await complete();
  expect(await all(BY_USER_TABLE)).toHaveLength(left);
  await clearStoredLogs(store, { known, until: known, isAsked: true });
  await settled();
  await expectAlike(left);
  // What only the order of users has goes as well.
  const late = rows.filter(({ created_at: at }) => Number(at) < known && Number(at) >= known - 7_200);
  await insertRows(store, { shard: 1, rows: [], byUser: late, queryId: "late" });
  expect(late.length).toBeGreaterThan(0);
  await clearStoredLogs(store, { known, until: known, isAsked: true });
  await settled();
  await expectAlike(left);
});

test("while the server removes rows of one of the tables, none is taken over", async () => {
  await migrateLogStore(store);
  await sendAsBefore(rows);
  await commandOn(server, `system stop merges ${LOG_TABLE}`);
  await commandOn(server, `alter table ${LOG_TABLE} delete where user_id = 77`);
  expect(await completeByUser(database.sql, store)).toBe(0);
  expect(await all(BY_USER_TABLE)).toEqual([]);
  expect(await notes()).toBe(0);
});

test("a server that refuses to put rows in the order of users is no reason to stop shipping", async () => {
  await migrateLogStore(store);
  await sendAsBefore(rows);
  await commandOn(server, `drop table ${BY_USER_TABLE}`);
  expect(await shipLogs(database.sql)).toBe("0 rows in 0 batches");
  expect(logStoreOutage.isAway).toBe(false);
});

test("what is cleared, hidden or removed with an archive is so in both tables", async () => {
  await migrateLogStore(store);
  const midnight = Math.floor(now / DAY) * DAY;
  await insertRows(store, { shard: 1, rows, queryId: "all" });
  const left = (from: number) => rows.filter(({ created_at: at }) => Number(at) >= from).length;
  await clearStoredLogs(store, { known: midnight - 3 * DAY + 7_200, until: midnight - 2 * DAY, isAsked: true });
  await settled();
  await expectAlike(left(midnight - 3 * DAY + 7_200));
  for (const [start, end, how] of [
    [midnight - 2 * DAY, midnight - DAY - 7_200, "hide"],
    [midnight - 3 * DAY, midnight - 2 * DAY, "delete"],
    [midnight - 2 * DAY, midnight - 2 * DAY + 7_200, "delete"],
  ] as const) {
    const stretch = { server, table: LOG_TABLE, start, end };
    const part = { start, end, ...(await sumStored(stretch)) };
    expect(await removeStored({ sql: database.sql, store, shard: 1, how }, stretch, [part])).toBe(true);
    await settled();
  }
  const log = await store.query<{ hidden: number }>(`select hidden from ${LOG_TABLE}`);
  expect(log.length).toBeGreaterThan(left(midnight - DAY));
  expect(log.filter(({ hidden }) => hidden === 1).length).toBeGreaterThan(10);
  await expectAlike(log.length);
});

/** Until the server has removed and changed what it was told to. */
function settled(): Promise<void> {
  return until(async () => {
    const open = "select 1 as one from system.mutations where database = currentDatabase() and is_done = 0";
    return (await store.query(open)).length === 0;
  }, 30_000);
}

test("a batch whose sending ended between the two tables is in each of them once", async () => {
  await migrateLogStore(store);
  const line = (quota: number) => JSON.stringify({ request_id: `r${quota}`, created_at: now, user_id: 1, quota });
  await database.sql`
    insert into log_outbox (id, created_at, row_count, body) values (7, ${now}, 3, ${[1, 2, 3].map(line).join("\n")})`;
  const death = { isNear: true, queryIds: [] as (string | undefined)[] };
  const ship = createShipper({ sql: database.sql, store: dyingStore(death) });
  expect((await ship()).failure).not.toBeNull();
  expect(await all(BY_USER_TABLE)).toHaveLength(3);
  expect((await listLogs(ctx, { username: "user1" })).total).toBe(3);
  // A server may refuse an id that it still has of the statement before.
  expect(new Set(death.queryIds).size).toBe(2);
  death.isNear = false;
  expect((await ship()).failure).toBeNull();
  await expectAlike(3);
  expect((await listLogs(ctx, { username: "user1" })).total).toBe(3);
});

/** A store whose connection is lost before rows are inserted into the log, behind those in the order of users. */
function dyingStore(death: { isNear: boolean; queryIds?: (string | undefined)[] }): LogStore {
  return { ...store, servers: store.servers.map((one) => ({ ...one, client: halfway(one.client) })) };
  function halfway(client: typeof server.client): typeof server.client {
    return new Proxy(client, {
      get: (target, name) => {
        const value = Reflect.get(target, name);
        if (name !== "insert") return typeof value === "function" ? value.bind(target) : value;
        return async (insert: Parameters<typeof target.insert>[0]) => {
          if (insert.table !== HOURS_TABLE) death.queryIds?.push(insert.query_id);
          if (death.isNear && insert.table === LOG_TABLE) throw new Error("the connection is lost");
          return target.insert(insert);
        };
      },
    });
  }
}

test("rows that are put back are in both tables once, also when an attempt ended between the two", async () => {
  await migrateLogStore(store);
  const archived = [1, 2, 3].map((id) => ({
    id,
    request_id: `r${id}`,
    created_at: now - 9 * DAY,
    user_id: 1,
    quota: id,
  }));
  const death = { isNear: true };
  const putBack = await beginPutBack(database.sql, dyingStore(death));
  await expect(putBack(archived)).rejects.toThrow();
  expect(await all(BY_USER_TABLE)).toHaveLength(3);
  death.isNear = false;
  expect(await putBack(archived)).toBe(3);
  await expectAlike(3);
  // The other way round as well: of an archive, one table has what the other lacks.
  await commandOn(server, `alter table ${BY_USER_TABLE} drop partition ${Math.floor(now / DAY) - 9}`);
  expect(await putBack(archived)).toBe(0);
  await expectAlike(3);
});

test("lists of a user, of a key's name and of failures over days read a fraction of the log", async () => {
  await migrateLogStore(store);
  const scale = { rows: 240_000, days: 6, users: 1_000, channels: 20 };
  const first = Math.floor(now / DAY) * DAY - 5 * DAY;
  for (let day = 0; day < scale.days; day++)
    await commandOn(server, fillDay(LOG_TABLE, scale, { start: first + day * DAY, first: day * 40_000, rows: 40_000 }));
  for (const statement of fillHourTable(store.config)) await commandOn(server, statement);
  await complete();
  const [log] = await store.query<{ marks: string }>(
    `select sum(marks) as marks from system.parts where active and database = currentDatabase() and table = '${LOG_TABLE}'`,
  );
  const searches: LogSearch[] = [
    { username: "user77" },
    { username: "user77", modelName: "gpt-4o" },
    { username: "user77", modelName: "gpt-4o", channelId: 7 },
    { tokenName: "key-77" },
    { type: 5, modelName: "gpt-4o", channelId: 7 },
  ];
  for (const search of searches) {
    const before = await marksRead();
    const { total } = await listLogs(ctx, { ...search, startTimestamp: first });
    const read = (await marksRead()) - before;
    expect(total, JSON.stringify(search)).toBeGreaterThan(0);
    expect(read, JSON.stringify(search)).toBeLessThan(Number(log?.marks) * 0.7);
  }
});

async function marksRead(): Promise<number> {
  const [row] = await store.query<{ value: string }>("select value from system.events where event = 'SelectedMarks'");
  return Number(row?.value ?? 0);
}
