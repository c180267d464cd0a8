// What an import hands to ClickHouse. Debian's server.

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nowSeconds } from "@/lib/clock";
import { createLogStore, type LogStore } from "@/lib/log-store/clickhouse/client";
import { migrateLogStore } from "@/lib/log-store/clickhouse/migrations";
import { parseLogStoreUrl } from "@/lib/log-store/config";
import { type LoggedRequest, logRowsToOutbox } from "@/lib/log-store/outbox-commands";
import { readOutbox } from "@/lib/log-store/outbox-queries";
import { createShipper } from "@/lib/log-store/ship";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { createRunFolder } from "@/lib/testing/run-folder";
import { createLogDrain } from "@/server/log-drain";
import { type OwnClickHouse, startOwnClickHouse } from "./own-clickhouse";

const DAY = 86_400;

let database: TestDatabase;
let clickhouse: OwnClickHouse;
let store: LogStore;

beforeAll(async () => {
  const folder = join(createRunFolder("log-store-import"), "store");
  [database, clickhouse] = await Promise.all([createTestDatabase(), startOwnClickHouse(folder)]);
  process.env.LOG_STORE_URL = clickhouse.url;
  store = createLogStore(parseLogStoreUrl(clickhouse.url));
  await migrateLogStore(store);
});
afterAll(async () => {
  await store.end();
  await clickhouse.stop();
  await database.drop();
});

/** One row of each of so many days before `until`. */
const rowsOf = (userId: number, days: number, until = nowSeconds()): LoggedRequest[] =>
  Array.from({ length: days }, (_, day) => ({
    request_id: `import:${userId}:${until}:${day}`,
    created_at: until - day * DAY,
    type: 2,
    user_id: userId,
    username: "somebody",
    other: {},
    content: "",
    token_id: 0,
    group: "default",
    is_stream: false,
  }));

async function expectOnce(userId: number, rows: readonly LoggedRequest[]): Promise<void> {
  const stored = await store.query<{ request_id: string }>(
    `select request_id from usage_logs where user_id = ${userId}`,
  );
  expect(stored.map(({ request_id }) => request_id).sort()).toEqual(rows.map(({ request_id }) => request_id).sort());
  expect(await readOutbox(database.sql)).toMatchObject({ rows: 0 });
}

test("rows of nine months arrive, each once", async () => {
  const rows = [0, 1, 2].flatMap((part) => rowsOf(1, 89, nowSeconds() - part * 89 * DAY));
  for (let at = 0; at < rows.length; at += 89) await logRowsToOutbox(database.db, rows.slice(at, at + 89));
  expect(await createShipper({ sql: database.sql, store })()).toMatchObject({ rows: 267, failure: null });
  await expectOnce(1, rows);
});

describe("an import that is faster than the log store", () => {
  const limits = { waitingMax: 50, lookEveryRows: 40, pauseMs: 20, patienceMs: 200 };

  test("waits until few rows wait, and sends them itself where no worker does", async () => {
    const rows = rowsOf(2, 89);
    await logRowsToOutbox(database.db, rows);
    const drain = createLogDrain(database.sql, (text) => expect.fail(text), limits);
    await drain?.(39);
    expect(await readOutbox(database.sql)).toMatchObject({ rows: 89 });
    await drain?.(1);
    await expectOnce(2, rows);
  });

  test("ends where the log store takes nothing, and says that it goes on later", async () => {
    const rows = rowsOf(3, 89);
    await logRowsToOutbox(database.db, rows);
    await clickhouse.servers[0]?.kill();
    const told: string[] = [];
    const drain = createLogDrain(database.sql, (text) => told.push(text), limits);
    await expect(drain?.(89)).rejects.toThrow("89 rows of the log wait for it. When it is back, run this again");
    expect(told[0]).toContain("the log store: ");
    await clickhouse.servers[0]?.startAgain();
    expect(await createShipper({ sql: database.sql, store })()).toMatchObject({ rows: 89, failure: null });
    await expectOnce(3, rows);
  });
});
