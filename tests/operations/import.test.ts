import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { reconcile } from "@/lib/billing/reconcile";
import { type FakeUpstream, startFakeUpstream } from "@/lib/testing/fake-upstream";
import { createRunFolder } from "@/lib/testing/run-folder";
import { keyOf, newApi, PASSWORD } from "@/tests/imports/new-api-rows";
import { type Cells, type Content, fillMysql, fillPostgres, fillSqlite } from "@/tests/imports/source-database";
import { databaseUrl, isAlive, startWeir, until, type WeirProcess } from "@/tests/runtime/weir-process";
import { freePort } from "@/tools/bench/alternatives";
import { type OwnMariadb, startOwnMariadb } from "./own-mariadb";
import { type OwnPostgres, startOwnPostgres } from "./own-postgres";

// The built program beside a running Weir, and the engines that new-api runs on.

const folder = createRunFolder("import");
const minuteMs = 60_000;
const sqliteFile = join(folder, "one-api.db");
/** Enough for several batches. */
const MORE = 5_000;
let upstream: FakeUpstream;
let weir: WeirProcess;
let mariadb: OwnMariadb;
let oldPostgres: OwnPostgres;
let address: string;
let settings: Record<string, string>;

function content(): Content {
  const more = Array.from({ length: MORE }, (_, index) => index + 100);
  const users: Cells[] = more.map((id) => ({
    id,
    username: `m${id}`,
    password: "",
    aff_code: `m${id}`,
    quota: id,
    used_quota: 7,
  }));
  const tokens: Cells[] = more.map((id) => ({
    id,
    user_id: id,
    key: keyOf(id),
    name: "k",
    unlimited_quota: true,
    used_quota: 3,
  }));
  const served = {
    id: 50,
    type: 1,
    key: "sk-served",
    name: "served",
    models: "fake-gpt",
    status: 1,
    base_url: upstream.url,
  };
  return {
    ...newApi,
    users: [...(newApi.users ?? []), ...users],
    tokens: [...(newApi.tokens ?? []), ...tokens],
    channels: [...(newApi.channels ?? []), served],
    options: [
      ...(newApi.options ?? []).filter(({ key }) => key !== "ModelRatio"),
      { key: "ModelRatio", value: '{"fake-gpt":1}' },
    ],
  };
}

beforeAll(async () => {
  if (!existsSync(join(".next", "BUILD_ID"))) throw new Error("the console is not built; run: npm run build");
  // PostgreSQL runs as another account.
  chmodSync(folder, 0o711);
  upstream = await startFakeUpstream();
  const port = await freePort();
  address = `http://127.0.0.1:${port}`;
  settings = {
    PORT: String(port),
    HOST: "127.0.0.1",
    WEIR_DATA_DIR: join(folder, "weir"),
    WEIR_SECRET: process.env.WEIR_SECRET ?? "",
    WEIR_GATEWAY_WORKERS: "1",
  };
  weir = startWeir(settings, join("bin", "weir.mjs"), "start");
  const rows = content();
  fillSqlite(sqliteFile, "new-api", rows);
  mariadb = await startOwnMariadb(join(folder, "mariadb"));
  await fillMysql(mariadb.url, "new-api", rows);
  oldPostgres = await startOwnPostgres(join(folder, "postgres"));
  await fillPostgres(oldPostgres.url, "new-api", rows);
  await until("Weir is ready", () => weir.output().includes("ready in") || !isAlive(weir.pid), 4 * minuteMs);
}, 8 * minuteMs);

afterAll(async () => {
  if (weir && isAlive(weir.pid)) weir.signal("SIGTERM");
  await weir?.ended;
  await upstream?.close();
  await mariadb?.stop();
  await oldPostgres?.stop();
  rmSync(folder, { recursive: true, force: true });
});

type Ended = { code: number | null; output: string };

function startImport(from: string, ...words: string[]): { child: ChildProcess; ended: Promise<Ended> } {
  const { DATABASE_URL: _, ...inherited } = process.env;
  const args = [join("bin", "weir.mjs"), "import", "new-api", "--from", from, "--logs", ...words];
  const child = spawn(process.execPath, args, {
    env: { ...inherited, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (part: Buffer) => {
      output += part.toString();
    });
  return { child, ended: once(child, "exit").then(([code]) => ({ code, output })) };
}

const importFrom = (from: string, ...words: string[]): Promise<Ended> => startImport(from, ...words).ended;

test("the three engines hold the same: a dry run reads the same from each, and prints no password", async () => {
  const reports = [];
  for (const [name, from] of Object.entries({
    sqlite: `sqlite:${sqliteFile}`,
    mysql: mariadb.url,
    postgres: oldPostgres.url,
  })) {
    const file = join(folder, `${name}.json`);
    const { code, output } = await importFrom(from, "--dry-run", "--report", file);
    expect(output).toContain("nothing was written");
    expect(code).toBe(0);
    expect(output).not.toContain("p@ss:w/rd");
    reports.push(JSON.parse(readFileSync(file, "utf8")));
  }
  expect(reports[1]).toEqual(reports[0]);
  expect(reports[2]).toEqual(reports[0]);
});

test("an import from MariaDB beside a running Weir, killed again and again, ends as one that was not: everything once", async () => {
  const sql = postgres(databaseUrl(settings.WEIR_DATA_DIR ?? ""), {
    max: 1,
    types: { bigint: { to: 20, from: [20], serialize: String, parse: Number } },
  });
  const position = async () => String((await sql`select sum(last_id) as at from import_positions`)[0]?.at);
  let cutOff = 0;
  for (let round = 0; round < 4; round++) {
    const before = await position();
    const { child, ended } = startImport(mariadb.url);
    await until("it is at work", async () => child.exitCode !== null || (await position()) !== before, minuteMs * 4);
    await delay(30 * round);
    child.kill("SIGKILL");
    if ((await ended).code === null) cutOff++;
  }
  expect(cutOff).toBeGreaterThan(0);
  const { code, output } = await importFrom(mariadb.url);
  expect(output).toContain("Done.");
  // 3: done, and there is something to look at.
  expect([0, 3]).toContain(code);
  try {
    expect(await sql`select count(*)::int as n, sum(quota)::int as quota from users where username like 'm%'`).toEqual([
      { n: MORE, quota: Array.from({ length: MORE }, (_, index) => index + 100).reduce((sum, id) => sum + id) },
    ]);
    expect((await sql`select from tokens where name = 'k'`).length).toBe(MORE);
    expect((await reconcile(sql)).differences).toEqual([]);
  } finally {
    await sql.end();
  }
});

test("an imported user signs in with the password of before, twice, and an imported key answers, without a restart", async () => {
  for (let time = 0; time < 2; time++) {
    const signedIn = await fetch(`${address}/api/user/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ username: "person4", password: PASSWORD }),
    });
    expect(await signedIn.json()).toMatchObject({ success: true, data: { username: "person4" } });
  }
  const refused = await fetch(`${address}/api/user/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username: "person4", password: "another-one" }),
  });
  expect(await refused.json()).toMatchObject({ success: false });
  const ask = () =>
    fetch(`${address}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer sk-${keyOf(4_000)}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "fake-gpt", messages: [{ role: "user", content: "Say hello" }] }),
    });
  await until("the channel is in force", async () => (await ask()).ok, minuteMs);
  expect(await (await ask()).json()).toMatchObject({ object: "chat.completion" });
});
