// Every filter of the log over HTTP, with values that are meant to break statements: PostgreSQL and ClickHouse answer alike, and
// never with a failure of their own.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as logApi from "@/app/api/log/[[...path]]/route";
import { createLogStore } from "@/lib/log-store/clickhouse/client";
import { parseLogStoreUrl } from "@/lib/log-store/config";
import { logStore } from "@/lib/log-store/store";
import { rewriteBooks } from "@/lib/testing/rewrite-books";
import { call, setUpApi } from "../api/harness";
import { intoPostgres, intoStore, testRows } from "./log-store-places";
import { seeded } from "./log-store-rows";
import { type OwnClickHouse, startOwnClickHouse } from "./own-clickhouse";

const ATTACKS = [
  "'",
  "''",
  "\\",
  "\\'",
  "%",
  "_",
  "%%",
  "_%",
  "%'%",
  "\\%",
  "gpt%",
  "\0",
  "a\0b",
  "x".repeat(255),
  "%".repeat(255),
  "'".repeat(10_000),
  "时间到了 😀",
  "\ud800",
  "\r\n\t\b",
  "'; drop table usage_logs --",
  "' or 1=1 --",
  "') or ('1'='1",
  "$1",
  "{x:String}",
  "1e999",
  "-1",
  "99999999999999999999",
  "NaN",
  "0x10",
  "model_name:gpt-4o",
  "item') --",
];
const FILTERS = ["username", "token_name", "model_name", "group", "type", "channel", "status_code", "error_code"];
const FLAGS = ["loss", "unbilled", "p", "page_size", "start_timestamp", "end_timestamp"];
const TEXTS = ["username", "token_name", "model_name", "error_code"];
const PLACES: readonly (readonly [path: string, names: readonly string[]])[] = [
  ["/api/log/", [...FILTERS, ...FLAGS]],
  ["/api/log/self", FILTERS],
  ["/api/log/stat", TEXTS],
  ["/api/log/self/stat", TEXTS],
];

const api = setUpApi();
const now = Math.floor(Date.now() / 1_000);
const directory = mkdtempSync(join(tmpdir(), "weir-log-filters-"));
let server: OwnClickHouse;

beforeAll(async () => {
  server = await startOwnClickHouse(directory, { database: "filters" });
});
afterAll(async () => {
  delete process.env.LOG_STORE_URL;
  await logStore()?.end();
  await server?.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** Each attack on each filter, for administrators and users. */
async function answers(): Promise<Map<string, unknown>> {
  const all = new Map<string, unknown>();
  const ask = async (path: string) => {
    const as = path.startsWith("/api/log/self") ? api.alice : api.admin;
    const { status, json } = await call(logApi, `GET ${path}`, { as });
    expect(status, path).toBeLessThan(500);
    all.set(path, { status, json: withoutOrder(json) });
  };
  for (const attack of ATTACKS) {
    const value = encodeURIComponent(Buffer.from(attack).toString());
    const paths = PLACES.flatMap(([place, names]) => names.map((name) => `${place}?${name}=${value}`));
    const others = [`search?keyword=${value}`, `self/search?keyword=${value}`, `token?key=${value}`];
    await Promise.all([...paths, ...others.map((path) => `/api/log/${path}`)].map(ask));
  }
  for (const known of [
    "type=5",
    "model_name=gpt%25",
    "model_name=%25o%25",
    "group=vip",
    "status_code=429",
    "loss=true",
  ])
    await Promise.all(PLACES.map(([place]) => ask(`${place}?${known}`)));
  return all;
}

/** `other` is text, and the keys of an object have no order in PostgreSQL. */
function withoutOrder(json: unknown): unknown {
  return JSON.parse(JSON.stringify(json), (key, value) =>
    key === "other" && typeof value === "string" ? JSON.parse(value || "{}") : value,
  );
}

test("no value of a filter is SQL: ClickHouse answers each as PostgreSQL does, and nothing is gone afterwards", async () => {
  const rows = testRows(400, now, seeded(5)).map(({ id, json }) => {
    // Those of the first user are Alice's. Sums of the last minute would depend on when they are read.
    const at = Math.min(Number(json.created_at), now - 3_600);
    return { id, json: { ...json, created_at: at, user_id: json.user_id === 1 ? api.alice.id : json.user_id } };
  });
  await intoPostgres(api.database, rows);
  const inPostgres = await answers();
  await rewriteBooks(api.database.sql, (tx) => tx`truncate usage_logs`);
  await intoStore(api.database, server.url, rows);
  process.env.LOG_STORE_URL = server.url;
  const inStore = await answers();
  for (const [path, answer] of inPostgres) expect(inStore.get(path), path).toEqual(answer);
  const found = [...inPostgres.values()].filter((answer) => JSON.stringify(answer).includes('"created_at"'));
  expect(found.length).toBeGreaterThan(20);
  const store = createLogStore(parseLogStoreUrl(server.url));
  expect(await store.query("select count() as count from usage_logs")).toEqual([{ count: String(rows.length) }]);
  await store.end();
});

test("a server takes the list of every hour of ten years, in which a value can be", async () => {
  const store = createLogStore(parseLogStoreUrl(server.url));
  const hours = Array.from({ length: 90_000 }, (_, hour) => 400_000 + hour);
  expect(await store.query(`select count() as count from numbers(3) where number + 400001 in (${hours})`)).toEqual([
    { count: "3" },
  ]);
  const pairs = hours.slice(0, 20_000).map((hour) => `(${hour}, 4294967295)`);
  expect(
    await store.query(`select count() as count from numbers(3) where (number + 400001, 4294967295) in (${pairs})`),
  ).toEqual([{ count: "3" }]);
  await store.end();
});
