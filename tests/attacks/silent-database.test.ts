// A fail-over that nobody announces: the old server's address goes on taking bytes and says nothing more. Eight connections
// of a gateway stayed like that for fifteen minutes, until the kernel gave them up. Every pool must notice by itself, close
// them and be back within seconds.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { createDatabase, type DatabaseHandle, type DatabaseSettings } from "@/db/client";
import { listenOn } from "@/db/listen";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { startTroubledProxy, type TroubledProxy } from "@/lib/testing/troubled-proxy";

const SIZE = 8;
/** So short that the tests do not take long, and so long that a busy machine answers within. */
const LIMIT_MS = 1_000;
/** What is waited for comes as soon as the machine gets to it. */
const SOON = { timeout: 20_000 };

let database: TestDatabase;
let proxy: TroubledProxy;
let pool: DatabaseHandle | null = null;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  proxy = await startTroubledProxy(database.url);
});
afterEach(async () => {
  await pool?.sql.end({ timeout: 0 });
  pool = null;
  await proxy.close();
});

/** A pool whose connections are all open. */
async function openPool(settings: Partial<DatabaseSettings>): Promise<DatabaseHandle> {
  const opened = createDatabase({ url: proxy.url, max: SIZE, applicationName: "silent", ...settings });
  pool = opened;
  await Promise.all(Array.from({ length: SIZE }, () => opened.sql`select pg_sleep(0.05)`));
  expect(proxy.names()).toHaveLength(SIZE);
  return opened;
}

const ask = ({ sql }: DatabaseHandle) => sql<{ one: number }[]>`select 1 as one`;

test("a pool whose server is gone without a word fails its statements after their limit, and works again at once", async () => {
  const handle = await openPool({ statementTimeoutMs: LIMIT_MS });
  proxy.silence();
  const failed = await Promise.allSettled(Array.from({ length: SIZE }, () => ask(handle)));
  expect(failed.map(({ status }) => status)).toEqual(Array(SIZE).fill("rejected"));
  expect(failed[0]).toMatchObject({ reason: { code: "CONNECTION_SILENT" } });
  const answers = await Promise.all(Array.from({ length: SIZE }, () => ask(handle)));
  expect(answers.map(([row]) => row?.one)).toEqual(Array(SIZE).fill(1));
});

test("a transaction on a silent connection fails and leaves nothing behind", async () => {
  const handle = await openPool({ statementTimeoutMs: LIMIT_MS });
  await handle.sql`create table if not exists left_behind (id int)`;
  const transaction = handle.sql.begin(async (tx) => {
    await tx`insert into left_behind values (1)`;
    proxy.silence();
    await tx`insert into left_behind values (2)`;
  });
  await expect(transaction).rejects.toMatchObject({ code: expect.stringMatching(/^CONNECTION_(SILENT|CLOSED)$/) });
  expect(await handle.sql`select count(*)::int as count from left_behind`).toEqual([{ count: 0 }]);
});

test("a long statement of a job goes on while the server is at work on it; once the server is silent it fails", async () => {
  const handle = await openPool({ askAfterMs: LIMIT_MS });
  expect(await handle.sql`select 7 as seven from pg_sleep(1.5)`).toEqual([{ seven: 7 }]);
  const lost = handle.sql`select pg_sleep(30)`;
  const failing = expect(lost).rejects.toMatchObject({ code: "CONNECTION_SILENT" });
  // The statement must be on its way, so that it is the server's silence that fails it.
  await expect
    .poll(() => database.sql`select 1 from pg_stat_activity where query like 'select pg_sleep(30)%'`, SOON)
    .toHaveLength(1);
  proxy.silence();
  await database.sql`
    select pg_cancel_backend(pid) from pg_stat_activity where query like 'select pg_sleep(30)%' and pid <> pg_backend_pid()`;
  await failing;
  expect(await ask(handle)).toEqual([{ one: 1 }]);
});

test("a listener whose server went silent hears again what is announced, and says that it may have missed something", async () => {
  const handle = await openPool({ statementTimeoutMs: LIMIT_MS });
  const heard: string[] = [];
  let connects = 0;
  const listener = await listenOn({
    sql: handle.sql,
    channel: "silent",
    applicationName: "listener",
    onNotice: (text) => heard.push(text),
    onConnect: () => {
      connects += 1;
    },
    pingMs: 30,
    silenceMs: LIMIT_MS,
  });
  await database.sql`select pg_notify('silent', 'first')`;
  await expect.poll(() => heard, SOON).toEqual(["first"]);
  proxy.silence();
  await expect.poll(() => connects, SOON).toBeGreaterThanOrEqual(2);
  await database.sql`select pg_notify('silent', 'second')`;
  await expect.poll(() => heard, SOON).toEqual(["first", "second"]);
  await listener.stop();
});

test("a pool is back soon after its database was away for many attempts: its waits between them stay short", async () => {
  const handle = await openPool({ statementTimeoutMs: LIMIT_MS });
  proxy.goAway();
  for (let attempt = 0; attempt < 8; attempt++) await expect(ask(handle)).rejects.toThrow();
  proxy.comeBack();
  const startedAt = performance.now();
  await expect.poll(() => ask(handle).catch(() => null), { interval: 20, ...SOON }).toEqual([{ one: 1 }]);
  // As the library is, it would wait for 20 s by now.
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});
