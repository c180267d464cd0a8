import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { createDatabase, type Sql } from "@/db/client";
import { bookSettlements } from "@/lib/billing/settlement-batch";
import { encodeSettlement } from "@/lib/billing/settlement-row";
import type { ServiceContext } from "@/lib/context";
import { ensureLogPartitions } from "@/lib/jobs/ensure-log-partitions";
import { createBilledUser, settlementOf } from "@/lib/testing/billing";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { rewriteBooks } from "@/lib/testing/rewrite-books";
import { dropLogPartitions } from "./partition-commands";
import { ensurePartitions } from "./partitions";

const DAY = 86_400;
const now = Math.floor(Date.now() / 1000);
/** 15 November 2031: none of its months is there. */
const later = Date.UTC(2031, 10, 15) / 1000;

let database: TestDatabase;
let sql: Sql;
let userId: number;
/** Different ones, so that they do not wait for each other. */
let callers: number[];
beforeAll(async () => {
  database = await createTestDatabase();
  sql = database.sql;
  callers = await Promise.all([1, 2, 3].map(() => createBilledUser(database, 1_000_000_000)));
  userId = callers[0] ?? 0;
});
afterAll(() => database.drop());
beforeEach(async () => {
  await rewriteBooks(sql, (tx) => tx`delete from usage_logs`);
});

async function tables(): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select inhrelid::regclass::text as name from pg_inherits where inhparent = 'usage_logs'::regclass order by 1`;
  return rows.map(({ name }) => name);
}

async function homes(): Promise<Record<string, number>> {
  const rows = await sql<{ home: string; count: number }[]>`
    select tableoid::regclass::text as home, count(*)::int as count from usage_logs group by 1`;
  return Object.fromEntries(rows.map(({ home, count }) => [home, count]));
}

async function dropMonthsAhead(): Promise<void> {
  for (const name of await tables()) {
    if (name > `usage_logs_${new Date().toISOString().slice(0, 7).replace("-", "_")}` && name !== "usage_logs_default")
      await sql`drop table ${sql(name)}`;
  }
}

/** Holds what pg_dump holds: ACCESS SHARE on every table, in an open transaction. */
async function startBackup(): Promise<{ end: () => Promise<void> }> {
  const handle = createDatabase({ url: database.url, max: 1, applicationName: "backup" });
  const session = await handle.sql.reserve();
  await session`begin`;
  for (const name of ["usage_logs", ...(await tables())]) await session`lock table ${sql(name)} in access share mode`;
  let ended = false;
  const end = async () => {
    if (ended) return;
    ended = true;
    await session`commit`;
    session.release();
    await handle.end();
  };
  onTestFinished(end);
  return { end };
}

/** No settlement may wait longer for a lock. */
const LOCK_WAIT_MS_MAX = 300;

/** Settles without a pause while something runs; how many were settled, and what went wrong. */
async function settleDuring(work: Promise<unknown>): Promise<{ settled: number; errors: string[] }> {
  const handle = createDatabase({
    url: database.url,
    max: 3,
    applicationName: "settler",
    lockTimeoutMs: LOCK_WAIT_MS_MAX,
  });
  const outcome = { settled: 0, errors: [] as string[] };
  let running = true;
  const load = callers.map(async (userId) => {
    while (running) {
      await bookSettlements(handle.sql, null, [encodeSettlement(settlementOf({ userId, quota: 1 }))]).then(
        () => outcome.settled++,
        (error: Error) => outcome.errors.push(error.message),
      );
      await delay(5);
    }
  });
  await work.finally(() => {
    running = false;
  });
  await Promise.all(load);
  await handle.end();
  return outcome;
}

test("no settlement waits while months are made beside a backup, and they are made when it is over", async () => {
  await dropMonthsAhead();
  const backup = await startBackup();
  const work = Promise.race([ensureLogPartitions(sql).catch(() => {}), delay(1_000)]);
  const { settled, errors } = await settleDuring(work);
  expect(errors).toEqual([]);
  expect(settled).toBeGreaterThan(0);
  await backup.end();
  await expect.poll(() => ensureLogPartitions(sql), { timeout: 5_000 }).toBe("0 made");
  expect((await tables()).length).toBeGreaterThanOrEqual(5);
});

test("no settlement waits while old months are dropped beside a backup", async () => {
  await sql`select weir_ensure_log_partitions(${now - 200 * DAY}::bigint, ${now - 190 * DAY}::bigint)`;
  const before = await tables();
  const backup = await startBackup();
  const context: ServiceContext = { db: database.db, sql, actor: { type: "job", name: "test" }, clientIp: "" };
  const work = dropLogPartitions(context, now - 150 * DAY);
  const { settled, errors } = await settleDuring(work);
  expect(errors).toEqual([]);
  expect(settled).toBeGreaterThan(0);
  expect(await tables()).toEqual(before);
  await backup.end();
  await dropLogPartitions(context, now - 150 * DAY);
  expect((await tables()).length).toBeLessThan(before.length);
});

test("a new month has every index and constraint of the log and no numbering of its own", async () => {
  expect(await ensurePartitions(sql, later)).toEqual({ made: 4, moved: 0, waiting: 0 });
  const [indexes] = await sql<{ missing: number; own: number }[]>`
    select (select count(*) from pg_index where indrelid = 'usage_logs'::regclass and not exists (
        select from pg_inherits join pg_index child on child.indexrelid = inhrelid
        where inhparent = pg_index.indexrelid and child.indrelid = 'usage_logs_2031_12'::regclass and child.indisvalid))::int as missing,
      (select count(*) from pg_constraint where conrelid = 'usage_logs_2031_12'::regclass and conname like 'weir%')::int as own`;
  expect(indexes).toEqual({ missing: 0, own: 0 });
  await sql`insert into usage_logs (request_id, created_at, user_id) values ('a', ${later + 30 * DAY}, ${userId})`;
  await sql`insert into usage_logs (request_id, created_at, user_id) values ('b', ${now}, ${userId})`;
  const ids = await sql<{ id: number }[]>`select id from usage_logs order by request_id`;
  expect(ids[1]?.id).toBe((ids[0]?.id ?? 0) + 1);
  await expect(
    sql`insert into usage_logs (request_id, created_at, user_id) values ('a', ${later + 30 * DAY}, ${userId})`,
  ).rejects.toThrow("unique");
  expect(await ensurePartitions(sql, later)).toEqual({ made: 0, moved: 0, waiting: 0 });
});

test("months that nobody made: new rows leave the default partition the next day, and the old ones follow", async () => {
  const missed = Date.UTC(2035, 4, 11, 12) / 1000;
  const write = (at: number, count: number) => sql`
    insert into usage_logs (request_id, created_at, user_id, quota)
    select 'r-' || ${at}::bigint || '-' || n, ${at}::bigint + n % 600, ${userId}, n from generate_series(1, ${count}) as n`;
  await write(missed - 40 * DAY, 6_000);
  await write(missed - 5 * DAY, 20);
  await write(missed, 30);
  const whole = await sql`select count(*), sum(quota), max(id) from usage_logs`;
  expect(await ensurePartitions(sql, missed + 700)).toEqual({ made: 4, moved: 6_000, waiting: 0 });
  // The rest of the current month has a table from tomorrow on.
  expect(await tables()).toContain("usage_logs_2035_05_12");
  expect(await homes()).toEqual({ usage_logs_default: 50, usage_logs_2035_04: 6_000 });
  await write(missed + DAY, 7);
  expect(await ensurePartitions(sql, missed + DAY + 700)).toEqual({ made: 0, moved: 50, waiting: 0 });
  expect(await homes()).toEqual({ usage_logs_2035_05: 50, usage_logs_2035_05_12: 7, usage_logs_2035_04: 6_000 });
  await rewriteBooks(sql, (tx) => tx`delete from usage_logs where created_at >= ${missed + DAY}`);
  expect(await sql`select count(*), sum(quota), max(id) from usage_logs`).toEqual(whole);
  expect(await ensurePartitions(sql, missed + DAY + 700)).toEqual({ made: 0, moved: 0, waiting: 0 });
});

test("what a crash has left while rows were moved is put in order by the next turn", async () => {
  const missed = Date.UTC(2037, 4, 11) / 1000;
  await sql`insert into usage_logs (request_id, created_at, user_id) values ('left', ${missed - 40 * DAY}, ${userId})`;
  await sql.unsafe("create table usage_logs_moving_2123456789 (like usage_logs)");
  await sql.unsafe("create table usage_logs_2037_04 (kept_by_an_operator int)");
  await sql.unsafe(
    `alter table usage_logs_default add constraint usage_logs_default_not_1 check (created_at < ${missed}) not valid`,
  );
  expect(await ensurePartitions(sql, missed)).toMatchObject({ moved: 1, waiting: 0 });
  expect(await homes()).toEqual({ usage_logs_2037_04_copy_2: 1 });
  expect(await sql`select to_regclass('usage_logs_moving_2123456789') as gone`).toEqual([{ gone: null }]);
  await sql`insert into usage_logs (request_id, created_at, user_id) values ('new', ${missed + 900 * DAY}, ${userId})`;
});
