import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDatabase, type Sql } from "@/db/client";
import { sweepNodes } from "../testing/billing";
import { createTestDatabase, type TestDatabase } from "../testing/database";
import { ensureLogPartitions } from "./ensure-log-partitions";
import { JobLocks } from "./job-locks";
import { jobs } from "./registry";
import { runExclusively, startJobs } from "./run-jobs";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test("a job that one machine is at is left alone by the others", async () => {
  let finish = (): void => {};
  let began = (): void => {};
  const atWork = new Promise<void>((done) => {
    began = done;
  });
  const run = () =>
    new Promise<string>((done) => {
      finish = () => done("did it");
      began();
    });
  const job = { id: "test", everyMs: 1, run };
  const pools = { work: database.sql, locks: new JobLocks(database.sql) };
  const first = runExclusively(pools, job);
  await atWork;
  const second = { ...job, run: async () => "second" };
  expect(await runExclusively(pools, second)).toBeNull();
  expect(await runExclusively({ ...pools, locks: new JobLocks(database.sql) }, second)).toBeNull();
  finish();
  expect(await first).toBe("did it");
  expect(await runExclusively(pools, { ...job, run: async () => "again" })).toBe("again");
});

test("more jobs than connections start at once and all get their work done", async () => {
  const work = createDatabase({ url: database.url, max: 1, applicationName: "test" });
  const many = Array.from({ length: 6 }, (_, i) => ({
    id: `crowd-${i}`,
    everyMs: 1,
    run: async (sql: Sql) => String((await sql`select 1 as one`)[0]?.one),
  }));
  const pools = { work: work.sql, locks: new JobLocks(database.sql) };
  expect(await Promise.all(many.map((job) => runExclusively(pools, job)))).toEqual(many.map(() => "1"));
  await work.end();
});

test("the jobs of a process hold their locks on one connection, and on another one when that is lost", async () => {
  const pool = createDatabase({ url: database.url, max: 2, applicationName: "test locks" });
  const locks = new JobLocks(pool.sql);
  const finish: (() => void)[] = [];
  const hold = (id: string) => locks.hold(id, () => new Promise<string>((done) => finish.push(() => done(id))));
  const connections = () => database.sql<{ pid: number; locks: number }[]>`
    select pid, (select count(*)::int from pg_locks where pg_locks.pid = one.pid and locktype = 'advisory') as locks
    from pg_stat_activity as one where datname = current_database() and application_name = 'test locks'`;
  const before = Array.from({ length: 20 }, (_, i) => hold(`many-${i}`));
  await expect.poll(connections).toMatchObject([{ locks: 20 }]);
  await database.sql`select pg_terminate_backend(${(await connections())[0]?.pid ?? 0})`;
  await expect.poll(connections).toEqual([]);
  for (const end of finish.splice(0)) end();
  expect((await Promise.allSettled(before)).map(({ status }) => status)).toEqual(Array(20).fill("rejected"));
  const after = hold("many-1");
  await expect.poll(connections).toMatchObject([{ locks: 1 }]);
  for (const end of finish.splice(0)) end();
  expect(await after).toBe("many-1");
  await pool.end();
});

test("a dozen jobs pause side by side, and Node warns of no leak", async () => {
  const warnings: string[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning.name);
  process.on("warning", onWarning);
  const many = Array.from({ length: 12 }, (_, i) => ({
    id: `pause-${i}`,
    everyMs: 3_600_000,
    run: async () => "done",
  }));
  let runs = 0;
  const running = startJobs({ work: database.sql, locks: new JobLocks(database.sql) }, many, {
    onRun: () => {
      runs += 1;
    },
    onError: (id, error) => expect.fail(`${id}: ${error}`),
  });
  await expect.poll(() => runs).toBe(many.length);
  // The last pause begins one turn after its run, and a warning is emitted one turn after that.
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  await running.stop();
  process.off("warning", onWarning);
  expect(warnings).toEqual([]);
});

test("a job that takes long learns that its process stops, and the stop waits for its end", async () => {
  const pools = { work: database.sql, locks: new JobLocks(database.sql) };
  let isAtWork = false;
  const results: string[] = [];
  const long = {
    id: "long",
    everyMs: 3_600_000,
    async run(_sql: Sql, stopping?: AbortSignal): Promise<string> {
      isAtWork = true;
      await new Promise<void>((done) => stopping?.addEventListener("abort", () => done()));
      return "ended early";
    },
  };
  const running = startJobs(pools, [long], {
    onRun: (_id, result) => void results.push(result),
    onError: (id, error) => expect.fail(`${id}: ${error}`),
  });
  await expect.poll(() => isAtWork).toBe(true);
  await running.stop();
  expect(results).toEqual(["ended early"]);
});

test("the slices of a gateway that died return to user and token, those of a living one stay", async () => {
  const { sql } = database;
  const [user] = await sql<{ id: number }[]>`
    insert into users (username, quota, reserved) values ('holder', 1000, 300) returning id`;
  const userId = user?.id ?? 0;
  const [token] = await sql<{ id: number }[]>`
    insert into tokens (user_id, key_hash, key_cipher, key_hint, name, remain_quota, reserved)
    values (${userId}, 'hash', 'cipher', 'hint', 'limited', 500, 200) returning id`;
  const tokenId = token?.id ?? 0;
  const [dead, alive] = [randomUUID(), randomUUID()];
  await sql`insert into nodes (id, heartbeat_at) values (${dead}, now() - interval '31 seconds'), (${alive}, now())`;
  await sql`insert into leases (node_id, user_id, token_id, amount) values
    (${dead}, ${userId}, 0, 200), (${dead}, ${userId}, ${tokenId}, 200), (${alive}, ${userId}, 0, 100)`;

  const sweep = jobs.find((job) => job.id === "lease-sweep");
  // Old heartbeats prove nothing: the job has not watched them yet.
  expect(await sweep?.run(sql)).toBe("0 processes");
  expect(await sweepNodes(sql, [dead])).toBe(1);

  expect(await sql`select quota, reserved from users where id = ${userId}`).toEqual([{ quota: 1000, reserved: 100 }]);
  expect(await sql`select remain_quota, reserved from tokens where id = ${tokenId}`).toEqual([
    { remain_quota: 500, reserved: 0 },
  ]);
  expect(await sql`select node_id, amount from leases`).toEqual([{ node_id: alive, amount: 100 }]);
  expect(await sweep?.run(sql)).toBe("0 processes");
});

test("the months of the usage log are there before they begin", async () => {
  await ensureLogPartitions(database.sql);
  const inThreeMonths = Math.floor(Date.now() / 1000) + 90 * 86_400;
  const [row] = await database.sql<{ home: string }[]>`
    insert into usage_logs (request_id, created_at, user_id) values ('r', ${inThreeMonths}, 1)
    returning tableoid::regclass::text as home`;
  expect(row?.home).toMatch(/^usage_logs_\d{4}_\d{2}$/);
  expect(await ensureLogPartitions(database.sql)).toBe("0 made");
});
