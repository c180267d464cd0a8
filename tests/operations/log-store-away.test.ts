// While ClickHouse cannot be read, people see what waits for it and are told; programs and exports are refused.

import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { users } from "@/db/schema";
import { bookSettlements } from "@/lib/billing/settlement-batch";
import { encodeSettlement } from "@/lib/billing/settlement-row";
import { nowSeconds } from "@/lib/clock";
import { ROLE, type ServiceContext } from "@/lib/context";
import { createLogStore } from "@/lib/log-store/clickhouse/client";
import { migrateLogStore } from "@/lib/log-store/clickhouse/migrations";
import { parseLogStoreUrl } from "@/lib/log-store/config";
import { readAvailable } from "@/lib/log-store/read-available";
import { createShipper } from "@/lib/log-store/ship";
import { logStore } from "@/lib/log-store/store";
import { checkOnboarding } from "@/lib/onboarding/queries";
import { readDashboard } from "@/lib/statistics/dashboard-queries";
import { settlementOf } from "@/lib/testing/billing";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { createRunFolder } from "@/lib/testing/run-folder";
import { until } from "@/lib/testing/until";
import { countByTime } from "@/lib/usage-log/bar-queries";
import { listLogsSince } from "@/lib/usage-log/batch-queries";
import { countLogsBefore } from "@/lib/usage-log/clear-queries";
import { deleteLogs } from "@/lib/usage-log/commands";
import { exportLogs } from "@/lib/usage-log/export-commands";
import { listFailureGroups } from "@/lib/usage-log/failure-queries";
import { listLogs } from "@/lib/usage-log/queries";
import { findRequest } from "@/lib/usage-log/request-queries";
import { sumLogs } from "@/lib/usage-log/sum-queries";
import { type OwnClickHouse, startOwnClickHouse } from "./own-clickhouse";

const SHIPPED = 30;
const WAITING = 10;
const folder = createRunFolder("log-store-away");
const disk = join(folder, "store", "server-1-1", "data");

let database: TestDatabase;
let clickhouse: OwnClickHouse;
let ids: { shipped: string[]; waiting: string[] };
const closing: (() => void)[] = [];
let isCleared = false;

const as = (role: number, id = 1): ServiceContext => ({
  ...database,
  actor: { type: "user", id, username: `user${id}`, role, group: "default", via: "session" },
  clientIp: "",
});

async function book(count: number): Promise<string[]> {
  const rows = Array.from({ length: count }, () =>
    encodeSettlement(settlementOf({ userId: 1, quota: 3, requestId: randomUUID(), createdAt: nowSeconds() - 5 })),
  );
  await bookSettlements(database.sql, null, rows);
  return rows.map(({ requestId }) => requestId);
}

const use = (url: string) => vi.stubEnv("LOG_STORE_URL", url);
const [refused, seen] = [
  { code: "unavailable", messageKey: "logStoreAway" },
  () => readAvailable(() => listLogs(as(ROLE.root))),
];

beforeAll(async () => {
  mkdirSync(disk, { recursive: true });
  const { stderr } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=256m", "tmpfs", disk], { encoding: "utf8" });
  expect(stderr, "needs root: mount -t tmpfs").toBe("");
  [database, clickhouse] = await Promise.all([createTestDatabase(), startOwnClickHouse(join(folder, "store"))]);
  use(clickhouse.url);
  const store = createLogStore(parseLogStoreUrl(clickhouse.url));
  await migrateLogStore(store);
  await database.db.insert(users).values([1, 2].map((id) => ({ id, username: `user${id}`, affCode: `a${id}` })));
  const shipped = await book(SHIPPED);
  expect(await createShipper({ sql: database.sql, store })()).toMatchObject({ rows: SHIPPED, failure: null });
  await store.end();
  ids = { shipped, waiting: await book(WAITING) };
});
afterEach(async () => {
  for (const close of closing.splice(0)) close();
  use(clickhouse.url);
  clickhouse.servers[0]?.thaw();
  await clickhouse.servers[0]?.startAgain();
  if (!isCleared) await expectWhole();
});
afterAll(async () => {
  await logStore()?.end();
  await clickhouse?.stop();
  spawnSync("umount", [disk]);
  await database?.drop();
});

/** It comes back by itself, without a restart of anything. */
async function expectWhole(): Promise<void> {
  await until(async () => (await seen()).missing === null, 120_000);
  expect((await seen()).result.total).toBe(SHIPPED + WAITING);
}

async function expectPart(): Promise<void> {
  const { result, missing } = await seen();
  expect([result.total, result.items.map(({ requestId }) => requestId).sort()]).toEqual([
    WAITING,
    [...ids.waiting].sort(),
  ]);
  expect(missing).toEqual({ awaySince: expect.any(Number), newestOnly: null });
}

/** A server in front of the real one. */
async function startFront(
  answer: (url: string, onward: () => void, fail: (status: number) => void, from: IncomingMessage) => void,
): Promise<string> {
  const target = new URL(`http://${clickhouse.servers[0]?.address}`);
  const server: Server = createServer((from, to) => {
    const onward = () => {
      const { url, method, headers } = from;
      const sent = request({ hostname: target.hostname, port: target.port, path: url, method, headers }, (reply) => {
        to.writeHead(reply.statusCode ?? 500, reply.headers);
        reply.pipe(to);
      });
      sent.on("error", () => to.destroy());
      from.pipe(sent);
    };
    const fail = (status: number) => void to.writeHead(status).end("no luck");
    answer(from.url ?? "", onward, fail, from);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("while very many rows are on their way, pages show the newest, and what would read them all is refused with their number", async () => {
  await database.sql`
    insert into log_outbox (row_count, body) select 4000, '' from generate_series(1, 26)`;
  try {
    const catchingUp = { code: "unavailable", messageKey: "logStoreCatchingUp", params: { rows: "104,010" } };
    await expect(listLogs(as(ROLE.root))).rejects.toMatchObject(catchingUp);
    await expect(listLogs(as(ROLE.user))).rejects.toMatchObject(catchingUp);
    await expect(sumLogs(as(ROLE.root))).rejects.toMatchObject(catchingUp);
    expect((await seen()).missing).toEqual({ awaySince: null, newestOnly: 5_000 });
  } finally {
    await database.sql`delete from log_outbox where row_count = 4000`;
  }
});

describe("the server is killed", () => {
  test("pages show what waits and say what is missing; programs, exports and clearing are refused", async () => {
    await clickhouse.servers[0]?.kill();
    await expectPart();
    const [own, other] = [as(ROLE.user), as(ROLE.user, 2)];
    // Short enough for bars of minutes, which are not made of hourly sums.
    const day = { startTimestamp: nowSeconds() - 3_000 };
    for (const ctx of [as(ROLE.root), own]) {
      const { result: bars } = await readAvailable(() => countByTime(ctx, day));
      expect(bars?.bars.reduce((sum, { requests }) => sum + requests, 0)).toBe(WAITING);
      const { result: sum, missing } = await readAvailable(() => sumLogs(ctx, day));
      // More where the window has the beginning of an hour, whose sums are whole.
      expect(sum.quota).toBeGreaterThanOrEqual(3 * WAITING);
      expect(missing).toMatchObject({ awaySince: expect.any(Number) });
      expect((await readAvailable(() => listFailureGroups(ctx, day))).result.groups).toEqual([]);
      expect((await readAvailable(() => listLogsSince(ctx, {}, day.startTimestamp, 100))).result).toHaveLength(WAITING);
      await expect(listLogs(ctx)).rejects.toMatchObject(refused);
      await expect(sumLogs(ctx, day)).rejects.toMatchObject(refused);
      await expect(exportLogs(ctx, {}, "csv")).rejects.toMatchObject(refused);
    }
    expect((await readAvailable(() => listLogs(other))).result.total).toBe(0);
    await expect(countLogsBefore(as(ROLE.root), nowSeconds())).rejects.toMatchObject(refused);
    await expect(deleteLogs(as(ROLE.root), nowSeconds() - 60)).rejects.toMatchObject(refused);
    expect(await database.sql`select 1 from job_positions where job = 'logs-cleared'`).toHaveLength(0);
  });

  test("hourly charts are whole, a request is found or not looked up, nobody is sent through the first steps", async () => {
    await clickhouse.servers[0]?.kill();
    const hour = nowSeconds() - (nowSeconds() % 3_600);
    const dashboard = await readDashboard(as(ROLE.root), {
      scope: "all",
      from: hour - 7_200,
      until: hour + 3_600,
      granularity: "hour",
      dimension: "model",
      timeZone: "UTC",
    });
    expect(dashboard.totals).toMatchObject({ count: SHIPPED + WAITING, quota: 3 * (SHIPPED + WAITING) });
    expect(await findRequest(as(ROLE.user), ids.waiting[0] ?? "")).toMatchObject({ kind: "found" });
    await expect(findRequest(as(ROLE.user), ids.shipped[0] ?? "")).rejects.toMatchObject(refused);
    expect(await checkOnboarding(as(ROLE.user, 2))).toContainEqual({ id: "request", done: true });
  });
});

test("a server that stands still is waited for once, and only for moments", async () => {
  clickhouse.servers[0]?.freeze();
  await expectPart();
  clickhouse.servers[0]?.thaw();
  const asked: string[] = [];
  // Takes every statement and answers none, not even whether it is alive.
  const silent = await startFront((_url, _onward, _fail, from) => {
    void text(from).then((statement) => asked.push(statement));
  });
  use(`clickhouse://default@${silent}/weir`);
  await expectPart();
  const first = readsIn(asked);
  expect(first).toBeGreaterThan(0);
  for (let view = 0; view < 20; view++) await seen();
  await expectPart();
  expect(readsIn(asked)).toBe(first);
});

/** Without what tries whether the server can be read again. */
const readsIn = (statements: readonly string[]) =>
  statements.filter((statement) => statement !== "" && !statement.startsWith("select 1 from usage_logs limit 1"))
    .length;

test("a server that refuses the password, or whose database is not there, counts as one that cannot be read", async () => {
  const { address } = clickhouse.servers[0] ?? {};
  for (const url of [`clickhouse://default:wrong@${address}/weir`, `clickhouse://default@${address}/nowhere`]) {
    use(url);
    await expectPart();
    await expect(listLogs(as(ROLE.root))).rejects.toMatchObject(refused);
  }
});

test("a server that answers 500 is passed over for one that works, and missed where it is the only one", async () => {
  const broken = await startFront((_url, _onward, fail) => fail(500));
  use(`clickhouse://default@${broken}/weir`);
  await expectPart();
  use(`clickhouse://default@${broken},${clickhouse.servers[0]?.address}/weir`);
  await expectWhole();
});

test("a slow server does not make the page slow while another is quick", async () => {
  const slow = await startFront((url, onward) => {
    if (url === "/ping") return onward();
    closing.push(clearTimeout.bind(null, setTimeout(onward, 120_000).unref()));
  });
  use(`clickhouse://default@${slow},${clickhouse.servers[0]?.address}/weir`);
  const startedAt = performance.now();
  await expectWhole();
  expect(performance.now() - startedAt).toBeLessThan(60_000);
});

test("with a full disk lists are read as ever, and cleared rows are seen no more though they cannot be removed", async () => {
  spawnSync("dd", ["if=/dev/zero", `of=${join(disk, "filler")}`, "bs=1M"]);
  await expectWhole();
  isCleared = true;
  const before = nowSeconds() + 1;
  vi.useFakeTimers({ toFake: ["Date"], now: (before + 3_600) * 1_000 });
  try {
    expect(await deleteLogs(as(ROLE.root), before)).toBeGreaterThanOrEqual(0);
    expect((await seen()).result.total).toBe(0);
  } finally {
    vi.useRealTimers();
    rmSync(join(disk, "filler"));
  }
});
