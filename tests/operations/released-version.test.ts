// Who: an operator who replaces one machine after the other. What must hold: the version before runs beside this one on
// this version's schema, and this version says so when it finds an older schema.
import { fork } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { setUpBundle } from "@/lib/testing/bundled-server";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { createRunFolder } from "@/lib/testing/run-folder";
import { type GatewayProcess, startGatewayProcess } from "../attacks/gateway-process";
import { chatBody, setUpRelay, until } from "../relay/harness";
import { setUpReleased } from "./released-bundle";

const STREAM = "fake-gpt:chunks=40:pace=5";
const models = `fake-gpt,${STREAM},fake-error-500`;
const relay = setUpRelay({ prices: models, channels: [{ models }] });
const before = setUpReleased(["gateway", "worker"]);
const now = setUpBundle(["gateway"]);
const journal = createRunFolder("journal");

let old: GatewayProcess;
let young: GatewayProcess;
let empty: TestDatabase;
beforeAll(async () => {
  old = await startGatewayProcess(before("gateway"), relay.database.url, journal);
  young = await startGatewayProcess(now("gateway"), relay.database.url, journal);
  empty = await createTestDatabase();
});
afterAll(async () => {
  await Promise.all([old?.kill(), young?.kill()]);
  await empty?.drop();
  rmSync(journal, { recursive: true, force: true });
});
afterEach(() => relay.upstream.forget());

function ask(gateway: GatewayProcess, key: string, body: string): Promise<Response> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
  return fetch(`${gateway.url}/v1/chat/completions`, { method: "POST", headers, body });
}

test("the version before serves, charges and refunds beside this one, and the books agree", async () => {
  const { user, token } = await relay.addCaller();
  const turns = [old, young, old, young];
  for (const gateway of turns) {
    const whole = await ask(gateway, token.key, chatBody("fake-gpt"));
    expect(whole.status).toBe(200);
    await whole.text();
  }
  const streams = await Promise.all(
    turns.map((gateway) => ask(gateway, token.key, chatBody(STREAM, { stream: true })).then((answer) => answer.text())),
  );
  for (const text of streams) expect(text).toContain("[DONE]");
  // What was reserved for a request that failed is returned.
  for (const gateway of turns) expect((await ask(gateway, token.key, chatBody("fake-error-500"))).status).toBe(500);
  await until(
    async () => (await relay.logsOf(user)).filter(({ quota }) => quota > 0).length === 2 * turns.length,
    100_000,
  );
  const stopped = await Promise.all([old.terminate(), young.terminate()]);
  expect(stopped.map(({ code }) => code)).toEqual([0, 0]);
  expect(await relay.database.sql`select sum(reserved)::int as reserved from users`).toEqual([{ reserved: 0 }]);
  expect(await relay.differences()).toEqual([]);
});

test("the worker of the version before makes the months of the log on this schema", async () => {
  const { sql } = relay.database;
  const months = async () => {
    const rows = await sql<{ name: string }[]>`
      select inhrelid::regclass::text as name from pg_inherits where inhparent = 'usage_logs'::regclass order by 1`;
    return rows.map(({ name }) => name);
  };
  const newest = (await months()).filter((name) => name !== "usage_logs_default").at(-1) ?? "";
  await sql`drop table ${sql(newest)}`;
  const worker = fork(before("worker"), {
    execArgv: [],
    env: { ...process.env, DATABASE_URL: relay.database.url, WEIR_JOURNAL_DIR: journal, WEIR_LOG_LEVEL: "silent" },
  });
  // Late in a month it makes one more than the migration did.
  await until(async () => (await months()).includes(newest), 100_000);
  const exited = once(worker, "exit");
  worker.kill("SIGTERM");
  expect((await exited)[0]).toBe(0);
});

test("this version does not start on a schema that lacks its migrations, and says so", async () => {
  await empty.sql`delete from drizzle.__drizzle_migrations where created_at = (select max(created_at) from drizzle.__drizzle_migrations)`;
  const gateway = fork(now("gateway"), {
    execArgv: [],
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    env: { ...process.env, DATABASE_URL: empty.url, WEIR_JOURNAL_DIR: journal, PORT: "0", HOST: "127.0.0.1" },
  });
  let told = "";
  gateway.stderr?.on("data", (data) => {
    told += data;
  });
  const [code] = await once(gateway, "close");
  expect([code, told]).toEqual([1, expect.stringContaining("Migrations are pending")]);
});
