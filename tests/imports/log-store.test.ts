// The log of another system while Weir's log is in a log store: on its way there, whether the store answers or not.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { LINES_PER_OUTBOX } from "@/lib/log-store/clickhouse/rows";
import { logRowsToOutbox, moveOutboxToLog } from "@/lib/log-store/outbox-commands";
import type { TestDatabase } from "@/lib/testing/database";
import { contentOf, dropAfterAll, expectBooksInOrder, freshWeir, importInto } from "./harness";
import { newApi } from "./new-api-rows";
import { fillSqlite } from "./source-database";

const AWAY = "clickhouse://127.0.0.1:1/weir";
const DAY = 86_400;
const folder = mkdtempSync(join(tmpdir(), "weir-import-logs-"));
const file = join(folder, "one-api.db");
let plain: TestDatabase;
dropAfterAll();

const importWithStore = async (weir: TestDatabase, settings = {}) => {
  vi.stubEnv("LOG_STORE_URL", AWAY);
  await importInto(weir, `sqlite:${file}`, { withLogs: true, ...settings }).finally(() => vi.unstubAllEnvs());
};
const waiting = async ({ sql }: TestDatabase): Promise<number> =>
  (await sql<{ rows: number }[]>`select coalesce(sum(row_count), 0)::int as rows from log_outbox`)[0]?.rows ?? 0;

beforeAll(async () => {
  fillSqlite(file, "new-api", newApi);
  plain = await freshWeir();
  await importInto(plain, `sqlite:${file}`, { withLogs: true });
});
afterEach(() => vi.unstubAllEnvs());
afterAll(() => rmSync(folder, { recursive: true }));

test("rows wait in the outbox with the sums in PostgreSQL, once however often; without the store they become the same log", async () => {
  const weir = await freshWeir();
  await importWithStore(weir);
  const rows = (await plain.sql`select from usage_logs where request_id like 'import:%'`).length;
  expect(rows).toBeGreaterThan(30);
  expect([await waiting(weir), (await weir.sql`select from usage_logs`).length]).toEqual([rows, 0]);
  await importWithStore(weir);
  expect(await waiting(weir)).toBe(rows);
  await moveOutboxToLog(weir.sql);
  expect(await contentOf(weir)).toEqual(await contentOf(plain));
  await expectBooksInOrder(weir);
});

test("cut off after the log and begun again, no row is there twice", async () => {
  const weir = await freshWeir();
  const cut = new Error("cut off");
  const afterLogs = () => Promise.reject(cut);
  await expect(importWithStore(weir, { afterLogs })).rejects.toBe(cut);
  await importWithStore(weir);
  await moveOutboxToLog(weir.sql);
  expect(await contentOf(weir)).toEqual(await contentOf(plain));
});

test("a row of the outbox has fewer lines than ids, and days that a server takes as one block", async () => {
  const weir = await freshWeir();
  const log = (at: number, created_at: number) => ({
    request_id: `import:1:${at}`,
    created_at,
    type: 2,
    user_id: 1,
    username: "root",
    token_id: 0,
    group: "default",
    is_stream: false,
    content: "a\nb\u0000",
    other: {},
  });
  const start = 1_700_000_000;
  const days = Array.from({ length: 400 }, (_, at) => log(at, start + at * DAY));
  const many = Array.from({ length: 5_000 }, (_, at) => log(1_000 + at, start));
  await weir.db.transaction((tx) => logRowsToOutbox(tx, [...days, ...many]));
  const bodies = await weir.sql<{ rows: number; body: string }[]>`select row_count as rows, body from log_outbox`;
  expect(bodies.reduce((sum, { rows }) => sum + rows, 0)).toBe(5_400);
  for (const { rows, body } of bodies) {
    const lines = body.split("\n").map((line) => JSON.parse(line));
    expect(lines).toHaveLength(rows);
    expect(rows).toBeLessThan(LINES_PER_OUTBOX);
    expect(new Set(lines.map(({ created_at }) => Math.floor(created_at / DAY))).size).toBeLessThan(100);
  }
});
