/**
 * Users can be divided among databases: every key of the paying path has the user in it, and every statement names the user.
 * The plans of PostgreSQL say what a statement looks at, also those within functions.
 */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDatabase, type Sql } from "@/db/client";
import { placementOf, userColumnOf } from "@/db/placement";
import { prepareTemplate } from "@/lib/testing/database";
import { createRunFolder } from "@/lib/testing/run-folder";
import { until } from "@/lib/testing/until";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "@/server/embedded-postgres";
import type { Relay } from "../relay/harness";
import { EXPLAIN_ALL, type PlannedStatement, readPlans, readWithoutUser, tablesOf } from "./statement-plans";
import { isListed, keysWithout, statementsWithout } from "./user-keys-exceptions";
import { runPayingPath, WORKER } from "./user-keys-run";

const directory = createRunFolder("user-keys");
let server: EmbeddedPostgres;
let relay: Relay;
let before: string | undefined;

beforeAll(async () => {
  const settings = { ...EXPLAIN_ALL, fsync: "off", synchronous_commit: "off", full_page_writes: "off" };
  server = await startEmbeddedPostgres({ directory, settings: { ...settings, shared_buffers: "64MB" } });
  before = process.env.TEST_DATABASE_URL;
  process.env.TEST_DATABASE_URL = server.url;
  await prepareTemplate(server.url);
  relay = await runPayingPath();
}, 120_000);
afterAll(async () => {
  await relay?.close();
  if (before === undefined) delete process.env.TEST_DATABASE_URL;
  else process.env.TEST_DATABASE_URL = before;
  await server?.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** Those of the gateway and the worker so far. A last statement marks the end of what is to be read. */
async function statements(): Promise<PlannedStatement[]> {
  const mark = `mark ${Math.random()}`;
  await relay.database.sql`select ${mark}::text`;
  const log = () => readFileSync(join(directory, "postgres.log"), "utf8");
  await until(() => log().includes(mark), 10_000);
  return readPlans(log()).filter(({ application }) => /^weir-(gateway|worker|listen)/.test(application));
}

async function asWorker(work: (sql: Sql) => Promise<unknown>): Promise<void> {
  const { sql, end } = createDatabase({ url: relay.database.url, max: 1, applicationName: WORKER });
  await work(sql).finally(end);
}

type Key = { table: string; index: string; columns: string[] };

async function readKeys(): Promise<Key[]> {
  return await relay.database.sql<Key[]>`
    select own.relname as table, of.relname as index, array(
      select attname::text from pg_attribute
      where attrelid = own.oid and attnum = any(key.indkey::int2[]) order by attnum) as columns
    from pg_index key join pg_class own on own.oid = key.indrelid join pg_class of on of.oid = key.indexrelid
    where key.indisunique and own.relnamespace = 'public'::regnamespace order by 1, 2`;
}

const keysAgainstTheRule = (keys: readonly Key[]): Key[] =>
  keys.filter(({ table, columns }) => placementOf(table) === "paying" && !columns.includes(userColumnOf(table)));

test("db/placement.ts says of every table where its rows live", async () => {
  const rows = await relay.database.sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`;
  expect(rows.map(({ name }) => name).filter((name) => placementOf(name) === undefined)).toEqual([]);
});

test("every unique index of the paying path has the user, but for those on the list; another one is found", async () => {
  const found = keysAgainstTheRule(await readKeys()).map(({ index }) => index);
  expect(found.sort()).toEqual(Object.keys(keysWithout).sort());
  await relay.database.sql`create unique index broken_key on leases (node_id, token_id) where amount < 0`;
  const broken = keysAgainstTheRule(await readKeys()).filter(({ index }) => keysWithout[index] === undefined);
  expect(broken).toEqual([{ table: "leases", index: "broken_key", columns: ["node_id", "token_id"] }]);
});

test("every statement on the paying path names the user, but for those on the list", async () => {
  const all = await statements();
  const seen = new Set(all.flatMap(({ plan }) => tablesOf(plan)));
  // What the run did not touch would prove nothing.
  for (const table of [
    "users",
    "tokens",
    "leases",
    "open_charges",
    "usage_hourly",
    "usage_logs",
    "tasks",
    "budget_holds",
  ])
    expect(seen).toContain(table);
  for (const table of ["ledger_entries", "refused_settlements", "upstream_objects", "idempotency_keys", "top_ups"])
    expect(seen).toContain(table);
  const without = all.filter(({ plan }) => readWithoutUser(plan).length > 0);
  const found = without
    .filter((statement) => !isListed(statement))
    .map(({ text, plan }) => `${readWithoutUser(plan).join()}: ${text.slice(0, 300)}`);
  expect([...new Set(found)]).toEqual([]);
  const unused = statementsWithout.filter(({ text }) => !without.some((statement) => text.test(statement.text)));
  expect(unused).toEqual([]);
});

test.each([
  ["a sum over all users", "select sum(quota) from usage_logs where created_at > 5", "usage_logs"],
  ["a row by its id alone", "update tokens set status = status where id = 3", "tokens"],
  ["a bound instead of a user", "select amount from leases where user_id > 0", "leases"],
  [
    "two tables by the same user, which is not named",
    "select u.quota from users u join tokens t on t.user_id = u.id where t.id = 3",
    "tokens",
  ],
])("%s is found", async (_, text, table) => {
  await asWorker((sql) => sql.unsafe(text));
  const broken = (await statements()).filter((statement) => statement.text === text);
  expect(broken.flatMap(({ plan }) => readWithoutUser(plan))).toContain(table);
});

test("a row by its id and its user is not", async () => {
  const text = "update tokens set status = status where id = 3 and user_id = 4";
  await asWorker((sql) => sql.unsafe(text));
  const [statement] = (await statements()).filter((one) => one.text === text);
  expect(statement && readWithoutUser(statement.plan)).toEqual([]);
});
