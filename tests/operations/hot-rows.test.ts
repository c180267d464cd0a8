// Four processes charge one channel and one account: what their flushes wait for, and how many connections they have.
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDatabase, type DatabaseHandle } from "@/db/client";
import { migrateDatabase } from "@/db/migrate";
import { reconcile } from "@/lib/billing/reconcile";
import { setUpBundle } from "@/lib/testing/bundled-server";
import { type FakeUpstream, startFakeUpstream } from "@/lib/testing/fake-upstream";
import { createRunFolder } from "@/lib/testing/run-folder";
import { until } from "@/lib/testing/until";
import { createSeed } from "@/tests/relay/seed";
import { freePort } from "@/tools/bench/alternatives";
import { startLoad } from "../chaos/load";
import { type Stack, startStack } from "../chaos/stack";
import { type OwnPostgres, startOwnPostgres } from "./own-postgres";
import { needPackages } from "./packages";

const MODELS = "fake-gpt,fake-gpt:chunks=20:pace=5";
const PROCESSES = 4;
const CALLERS = 32;
const ANSWERS = 600;
/** Waits for a lock that last longer are in the log of PostgreSQL. */
const WAIT_MS = 2;
const POOLS = /^weir-(gateway|listen)/;

const entry = setUpBundle(["main", "gateway", "worker"]);
const folder = createRunFolder("hot-rows");
const logs = join(folder, "own", "data", "log");
let postgres: OwnPostgres;
let database: DatabaseHandle;
let upstream: FakeUpstream;
let stack: Stack;
let seed: ReturnType<typeof createSeed>;

beforeAll(async () => {
  needPackages({ "/usr/lib/postgresql/15/bin/postgres": "postgresql-15" });
  chmodSync(folder, 0o711);
  const settings = {
    logging_collector: "on",
    log_lock_waits: "on",
    deadlock_timeout: `${WAIT_MS}ms`,
    shared_preload_libraries: "pg_stat_statements",
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  postgres = await startOwnPostgres(join(folder, "own"), args);
  await migrateDatabase(postgres.url);
  database = createDatabase({ url: postgres.url, max: 4, applicationName: "test" });
  await database.sql`create extension pg_stat_statements`;
  upstream = await startFakeUpstream();
  seed = createSeed(database, upstream.url);
  await seed.setPrices(MODELS);
  await seed.addChannel({ models: MODELS });
  const data = join(folder, "weir");
  mkdirSync(data);
  stack = await startStack(entry("main"), data, await freePort(), {
    DATABASE_URL: postgres.url,
    WEIR_GATEWAY_WORKERS: String(PROCESSES),
    WEIR_DRAIN_PAUSE_SECONDS: "0",
  });
});

afterAll(async () => {
  await stack?.stop();
  await upstream?.close();
  await database?.end();
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
});

type Measured = { waits: Record<string, number>; sampled: number; samples: number; flushes: number; flushMs: number };

/** Has the callers' keys used side by side until there are enough answers. */
async function measure(keys: readonly string[]): Promise<Measured> {
  const before = logText().length;
  await database.sql`select pg_stat_statements_reset()`;
  const loads = keys.map((key) => startLoad(stack.port, key, CALLERS / keys.length));
  let [samples, sampled] = [0, 0];
  const answers = () => loads.reduce((sum, { whole }) => sum + whole.length, 0);
  await until(async () => {
    const [row] = await database.sql<{ waiting: number }[]>`
      select count(*)::int as waiting from pg_stat_activity
      where application_name = 'weir-gateway settling' and wait_event_type = 'Lock'`;
    samples += 1;
    sampled += row?.waiting ?? 0;
    return answers() >= ANSWERS;
  }, 240_000);
  await Promise.all(loads.map(({ stop }) => stop()));
  expect(loads.map(({ broken }) => broken())).toEqual(keys.map(() => 0));
  const [flush] = await database.sql<{ calls: number; ms: number }[]>`
    select sum(calls)::int as calls, sum(total_exec_time) / sum(calls) as ms from pg_stat_statements
    where query like '%weir_book_%' and toplevel`;
  return {
    waits: waitsIn(logText().slice(before)),
    ...{ samples, sampled, flushes: flush?.calls ?? 0, flushMs: flush?.ms ?? 0 },
  };
}

function logText(): string {
  return readdirSync(logs)
    .map((name) => readFileSync(join(logs, name), "utf8"))
    .join("");
}

/** How often a flush waited longer than WAIT_MS for a row, by its table. Only the first in line names the row. */
function waitsIn(text: string): Record<string, number> {
  const waits: Record<string, number> = {};
  for (const entry of text.split(/^(?=\d{4}-\d\d-\d\d .*LOG: )/m)) {
    if (!/still waiting for \w+ on transaction/.test(entry) || !entry.includes("weir_book_")) continue;
    const table = /in relation "([^"]+)"/.exec(entry)?.[1] ?? "another";
    waits[table] = (waits[table] ?? 0) + 1;
  }
  return waits;
}

function tell(what: string, { waits, samples, sampled, flushes, flushMs }: Measured): void {
  const list = Object.entries(waits).map(([table, count]) => `${table} ${count}`);
  process.stdout.write(
    `\n${what}: ${flushes} flushes of ${flushMs.toFixed(2)} ms each; waits of more than ${WAIT_MS} ms: ` +
      `${list.join(", ") || "none"}; ${sampled} waiting in ${samples} samples\n`,
  );
}

test("flushes of four processes do not wait for each other when all callers share a channel and none shares an account", async () => {
  const callers = await Promise.all(Array.from({ length: CALLERS }, () => seed.addCaller({ balance: 1_000_000_000 })));
  const measured = await measure(callers.map(({ token }) => token.key));
  tell(`${PROCESSES} processes, one channel, ${CALLERS} accounts`, measured);
  // The job that adds up what was put aside may be met; it is over in milliseconds.
  expect(Object.keys(measured.waits).filter((table) => table !== "channel_charges")).toEqual([]);
}, 300_000);

test("with one account for all they wait for its row at most, never for the channel's", async () => {
  const { token } = await seed.addCaller({ balance: 1_000_000_000 });
  const measured = await measure([token.key]);
  tell(`${PROCESSES} processes, one channel, one account`, measured);
  expect(Object.keys(measured.waits).filter((table) => !/^(users|tokens|channel_charges)$/.test(table))).toEqual([]);
}, 300_000);

test("a busy gateway has at most the 15 connections that the documents name", async () => {
  const rows = await database.sql<{ name: string; count: number }[]>`
    select application_name as name, count(*)::int as count from pg_stat_activity
    where backend_type = 'client backend' group by 1 order by 1`;
  process.stdout.write(`\n${rows.map(({ name, count }) => `${name}: ${count}`).join("\n")}\n`);
  const count = rows.filter(({ name }) => POOLS.test(name)).reduce((sum, row) => sum + row.count, 0);
  expect(count).toBeGreaterThanOrEqual(PROCESSES * 4);
  expect(count).toBeLessThanOrEqual(PROCESSES * 15);
});

test("afterwards the books agree", async () => {
  await stack.stop();
  expect((await reconcile(database.sql)).differences).toEqual([]);
});
