// Rows of the usage log reach ClickHouse once each, whatever fails on the way; charges do not notice. Debian's server.

import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { reconcileHours } from "@/lib/billing/reconcile-hours";
import { retireNode } from "@/lib/billing/retire-commands";
import { bookSettlements } from "@/lib/billing/settlement-batch";
import { encodeSettlement, parseSettlementRow } from "@/lib/billing/settlement-row";
import { nowSeconds } from "@/lib/clock";
import { createLogStore, type LogStore } from "@/lib/log-store/clickhouse/client";
import { migrateLogStore } from "@/lib/log-store/clickhouse/migrations";
import { parseLogStoreUrl } from "@/lib/log-store/config";
import { moveOutboxToLog } from "@/lib/log-store/outbox-commands";
import { readOutbox } from "@/lib/log-store/outbox-queries";
import { createShipper, type ShipStep } from "@/lib/log-store/ship";
import { createBilledUser, settlementOf, startBillingProcess } from "@/lib/testing/billing";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { createRunFolder } from "@/lib/testing/run-folder";
import { type OwnClickHouse, startOwnClickHouse } from "./own-clickhouse";

const DAY = 86_400;
const folder = createRunFolder("log-shipping");

let database: TestDatabase;
let clickhouse: OwnClickHouse;
let store: LogStore;
let userId: number;

beforeAll(async () => {
  const disk = join(folder, "store", "server-1-1", "data");
  mkdirSync(disk, { recursive: true });
  const { stderr } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=256m", "tmpfs", disk], { encoding: "utf8" });
  expect(stderr, "needs root: mount -t tmpfs").toBe("");
  [database, clickhouse] = await Promise.all([createTestDatabase(), startOwnClickHouse(join(folder, "store"))]);
  process.env.LOG_STORE_URL = clickhouse.url;
  store = createLogStore(parseLogStoreUrl(clickhouse.url));
  await migrateLogStore(store);
});
beforeEach(async () => {
  userId = await createBilledUser(database, 1_000_000_000);
});
afterAll(async () => {
  await store.end();
  await clickhouse.stop();
  spawnSync("umount", [join(folder, "store", "server-1-1", "data")]);
  await database.drop();
});

const settlement = (given: object = {}) => settlementOf({ userId, quota: 3, requestId: randomUUID(), ...given });

/** Books flushes of so many requests each; resolves to their request ids. */
async function book(flushes: number, size: number, given: (at: number) => object = () => ({})): Promise<string[]> {
  const ids: string[] = [];
  for (let flush = 0; flush < flushes; flush++) {
    const rows = Array.from({ length: size }, (_, at) => encodeSettlement(settlement(given(flush * size + at))));
    await bookSettlements(database.sql, null, rows);
    ids.push(...rows.map(({ requestId }) => requestId));
  }
  return ids;
}

/** What a reader finds that takes no care: also rows that are there twice. */
const stored = async () =>
  (
    await store.query<{ request_id: string }>(
      `select request_id from usage_logs where user_id = ${userId} order by created_at, id`,
    )
  ).map(({ request_id }) => request_id);

const shipper = (onStep?: (step: ShipStep) => void, at = store) =>
  createShipper({ sql: database.sql, store: at, bounds: { rows: 40, bytes: 1e6 }, ...(onStep && { onStep }) });

/** As the job does it. */
const shipAll = async (ship = shipper()) => {
  const shipped = await ship();
  if (shipped.failure !== null) throw shipped.failure;
  return shipped;
};

async function expectOnce(ids: readonly string[]): Promise<void> {
  expect((await stored()).sort()).toEqual([...ids].sort());
  expect(await readOutbox(database.sql)).toEqual({ rows: 0, bytes: 0, oldestSeconds: 0 });
  expect(await database.sql`select 1 from log_batches`).toHaveLength(0);
}

/** Between the shipper and the server. `swallow`: so many answers to inserts never arrive. */
async function startProxy(): Promise<{
  store: LogStore;
  swallow: (times: number) => void;
  inserts: () => number;
  close: () => void;
}> {
  let [left, inserts] = [0, 0];
  const target = new URL(store.servers[0]?.address ?? "");
  const server: Server = createServer((from, to) => {
    const isInsert = (from.url ?? "").includes("INSERT") || (from.url ?? "").includes("insert");
    const { hostname, port } = target;
    const { url, method, headers } = from;
    const onward = request({ hostname, port, path: url, method, headers }, (answer) => {
      if (isInsert) inserts += 1;
      if (isInsert && left > 0) {
        left -= 1;
        answer.resume();
        answer.on("end", () => to.destroy());
        return;
      }
      to.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(to);
    });
    onward.on("error", () => to.destroy());
    from.pipe(onward);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const behind = createLogStore(parseLogStoreUrl(`clickhouse://default@127.0.0.1:${port}/weir`));
  return {
    store: behind,
    swallow: (times) => {
      left = times;
    },
    inserts: () => inserts,
    close: () => {
      void behind.end();
      server.closeAllConnections();
      server.close();
    },
  };
}

test("rows arrive as they were booked, in their order, of several days, with every text", async () => {
  const now = nowSeconds();
  const nonsense = `\0 \ud800 ' \\ \n\t " \u{1F600} ${"x".repeat(20_000)}`;
  const ids = await book(3, 30, (at) => ({ createdAt: now - 3 * DAY + at * 3_000, content: at === 5 ? nonsense : "" }));
  expect(await shipAll()).toMatchObject({ rows: 90, batches: 3 });
  expect(await stored()).toEqual(ids);
  const [row] = await store.query<Record<string, unknown>>(`select * from usage_logs where request_id = '${ids[5]}'`);
  expect(row).toMatchObject({ user_id: userId, created_at: now - 3 * DAY + 15_000, quota: "3", model_name: "gpt-4o" });
  const kept = Buffer.from(nonsense.slice(0, 20_000).replace("\0", "")).toString();
  expect(row?.content === kept).toBe(true);
});

test("a settlement that is repeated reaches the log once: in a flush, in a later one, out of a journal", async () => {
  const twice = encodeSettlement(settlement());
  await bookSettlements(database.sql, null, [twice, encodeSettlement(settlement()), twice]);
  await bookSettlements(database.sql, null, [encodeSettlement(settlement()), twice]);
  const again = parseSettlementRow(twice.json);
  await bookSettlements(database.sql, null, again ? [again] : []);
  await shipAll();
  expect(await stored()).toHaveLength(3);
  expect((await stored()).filter((id) => id === twice.requestId)).toHaveLength(1);
  expect(
    await database.sql`select used_quota::int as used, request_count::int as count from users where id = ${userId}`,
  ).toEqual([{ used: 9, count: 3 }]);
});

describe("each row is there once", () => {
  test.each<ShipStep>(["claimed", "read", "sent", "ended"])("where the worker dies after the step %s", async (last) => {
    const ids = await book(4, 30);
    for (let deaths = 0; deaths < 3; deaths++) {
      const dying = shipper((step) => {
        if (step === last) throw new Error("died");
      });
      await expect(dying()).rejects.toThrow("died");
    }
    await shipAll();
    await expectOnce(ids);
  });

  test("where answers are lost, three times the same batch", async () => {
    const ids = await book(2, 30);
    const proxy = await startProxy();
    proxy.swallow(3);
    const ship = shipper(undefined, proxy.store);
    for (let lost = 0; lost < 3; lost++) {
      await ship();
      // The client of a real gateway waits until the address is believed again.
      for (const server of proxy.store.servers) server.awayUntil = 0;
    }
    await shipAll(ship);
    proxy.close();
    await expectOnce(ids);
  });

  test("where a part of a batch is there, as after a death between the days of its rows", async () => {
    const ids = await book(2, 20, (at) => ({ createdAt: nowSeconds() - (at % 2) * DAY }));
    const dying = shipper((step) => {
      if (step === "sent") throw new Error("died");
    });
    await expect(dying()).rejects.toThrow("died");
    const day = Math.floor(nowSeconds() / DAY);
    const [server] = store.servers;
    await server?.client.command({ query: `alter table usage_logs drop partition ${day}` });
    await shipAll();
    await expectOnce(ids);
  });

  test("where the database forgot what was sent, as after a backup or a fail-over", async () => {
    const ids = await book(2, 20);
    const rows = await database.sql`select id, created_at, row_count, skipped, body from log_outbox`;
    await shipAll();
    await database.sql`insert into log_outbox ${database.sql(rows)}`;
    await shipAll();
    await expectOnce(ids);
  });

  test("where the server is killed while it takes rows, again and again", async () => {
    const ids = await book(30, 20);
    const [server] = clickhouse.servers;
    const ship = shipper();
    for (let kills = 0; kills < 3; kills++) {
      const running = ship();
      await new Promise((done) => setTimeout(done, 15 + 25 * kills));
      await server?.kill();
      expect((await running).failure).not.toBeNull();
      await book(1, 1).then((more) => ids.push(...more));
      await server?.startAgain();
    }
    await shipAll(ship);
    await expectOnce(ids);
  });
});

describe("charges go on, and the rows wait", () => {
  test("while the server is away, and 200,000 rows are caught up in bounded memory", async () => {
    const [server] = clickhouse.servers;
    await server?.kill();
    const body =
      (await database.sql<{ body: string }[]>`select ${encodeSettlement(settlement()).json} as body`)[0]?.body ?? "";
    const ids = await book(2, 5);
    const failed = await shipper()();
    expect([failed.rows, failed.failure]).toEqual([0, expect.objectContaining({ name: "LogStoreAway" })]);
    // 1,000 flushes of 200.
    await database.sql`
      insert into log_outbox (row_count, body)
      select 200, (select string_agg(replace(${body}, ${JSON.parse(body).request_id}, 'r' || flush || '-' || place), E'\n')
        from generate_series(1, 200) place)
      from generate_series(1, 1000) flush`;
    expect((await readOutbox(database.sql)).rows).toBe(200_010);
    await server?.startAgain();
    globalThis.gc?.();
    let most = 0;
    const before = process.memoryUsage().rss;
    const startedAt = performance.now();
    const shipped = await createShipper({
      sql: database.sql,
      store,
      onStep: () => {
        most = Math.max(most, process.memoryUsage().rss - before);
      },
    })();
    console.log(
      `${Math.round(200_010 / ((performance.now() - startedAt) / 1_000))} rows a second, ${Math.round(most / 1_048_576)} MiB more`,
    );
    expect(shipped).toMatchObject({ rows: 200_010, failure: null });
    const [count] = await store.query<{ rows: string; ids: string }>(
      `select count() as rows, uniqExact(request_id) as ids from usage_logs where user_id = ${userId}`,
    );
    expect(count).toEqual({ rows: "200010", ids: "200010" });
    expect(ids).toHaveLength(10);
    expect(most).toBeLessThan(400 * 1_048_576);
  });

  test("while its disk is full", async () => {
    const ids = await book(2, 20, () => ({ content: "x".repeat(5_000) }));
    const filler = join(folder, "store", "server-1-1", "data", "filler");
    spawnSync("dd", ["if=/dev/zero", `of=${filler}`, "bs=1M"]);
    const { rows, failure } = await shipper()();
    expect([rows, failure]).toEqual([0, expect.any(Error)]);
    ids.push(...(await book(1, 5)));
    rmSync(filler);
    await shipAll();
    await expectOnce(ids);
  });

  test("a row that it refuses for good waits alone", async () => {
    const ids = await book(5, 4);
    const [bad] = await database.sql`
      insert into log_outbox (row_count, body) values (1, 'no row at all') returning id`;
    ids.push(...(await book(5, 4)));
    const { failure } = await shipper()();
    expect(failure).toMatchObject({ name: "RowsRefused" });
    expect((await stored()).sort()).toEqual([...ids].sort());
    expect(await database.sql`select id from log_outbox`).toEqual([bad]);
    ids.push(...(await book(1, 4)));
    expect(await shipper()()).toMatchObject({ rows: 4 });
    await database.sql`delete from log_outbox`;
    await shipAll();
    await expectOnce(ids);
  });

  test("with a wrong password", async () => {
    const ids = await book(1, 5);
    const address = clickhouse.servers[0]?.address;
    const wrong = createLogStore(parseLogStoreUrl(`clickhouse://default:wrong@${address}/weir`));
    const { rows, failure } = await shipper(undefined, wrong)();
    await wrong.end();
    expect([rows, failure]).toEqual([0, expect.any(Error)]);
    await shipAll();
    await expectOnce(ids);
  });
});

test("the check of the books compares what is in ClickHouse and in the outbox, and finds what is missing", async () => {
  const hour = Math.floor(nowSeconds() / 3_600) * 3_600 - 20 * DAY;
  const range = [{ from: hour, until: hour + 3_600 }];
  await book(2, 10, () => ({ createdAt: hour + 60 }));
  await shipAll();
  await book(1, 10, () => ({ createdAt: hour + 120 }));
  const before = await reconcileHours(database.sql, range);
  expect([before.differences, before.checked["usage_logs.quota"]]).toEqual([[], 1]);
  await database.sql`delete from log_outbox`;
  const { differences } = await reconcileHours(database.sql, range);
  expect(differences).toMatchObject([
    { check: "usage_logs.quota", id: hour, stored: 90, computed: 60 },
    { check: "usage_logs.tokens", id: hour },
  ]);
});

test("a journal of a machine that was off for days books again nothing that ClickHouse has", async () => {
  const old = { createdAt: nowSeconds() - 5 * DAY };
  const booked = [settlement(old), settlement(old)].map((item) => encodeSettlement(item));
  const fresh = encodeSettlement(settlement(old));
  await bookSettlements(database.sql, null, booked);
  await shipAll();
  await database.sql`truncate settled_requests`;
  const [note] = booked;
  const journal = [...booked, fresh].flatMap(({ json }) => parseSettlementRow(json) ?? []);
  expect(await retireNode(database.sql, randomUUID(), journal, note ? [note] : [])).toBe(0);
  await shipAll();
  await expectOnce([...booked, fresh].map(({ requestId }) => requestId));
  expect(await database.sql`select used_quota::int as used from users where id = ${userId}`).toEqual([{ used: 9 }]);
});

test("the store is switched on, off and on again under load: each request is charged and logged once", async () => {
  const ids: string[] = [];
  const url = process.env.LOG_STORE_URL;
  /** What a process leaves in its journal: some of it is booked, some is not. */
  const left: string[] = [];
  for (const isOn of [false, true, false, true]) {
    process.env.LOG_STORE_URL = isOn ? url : "";
    const gateway = await startBillingProcess(database.url, { lingerMs: 0 });
    const again = left.splice(0).flatMap((json) => parseSettlementRow(json) ?? []);
    const fresh = Array.from({ length: 60 }, () => settlement());
    const open = encodeSettlement(settlement());
    ids.push(...fresh.map(({ requestId }) => requestId), open.requestId);
    left.push(...fresh.slice(0, 20).map((item) => encodeSettlement(item).json), open.json);
    await Promise.all([
      ...fresh.map((item) => gateway.settler.settle(item)),
      retireNode(database.sql, randomUUID(), again, []),
    ]);
    await gateway.stop();
    if (isOn) await shipAll();
    else await moveOutboxToLog(database.sql);
  }
  await retireNode(
    database.sql,
    randomUUID(),
    left.flatMap((json) => parseSettlementRow(json) ?? []),
    [],
  );
  await shipAll();
  const inPostgres = await database.sql<{ id: string }[]>`
    select request_id as id from usage_logs where user_id = ${userId}`;
  expect([...(await stored()), ...inPostgres.map(({ id }) => id)].sort()).toEqual(ids.sort());
  expect(await database.sql`select used_quota::int as used from users where id = ${userId}`).toEqual([
    { used: 3 * ids.length },
  ]);
});
