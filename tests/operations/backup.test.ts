import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDatabase } from "@/db/client";
import { verifyPassword } from "@/lib/crypto";
import { setUpBundle } from "@/lib/testing/bundled-server";
import { type FakeUpstream, startFakeUpstream } from "@/lib/testing/fake-upstream";
import { createRunFolder } from "@/lib/testing/run-folder";
import { until } from "@/lib/testing/until";
import { freePort } from "@/tools/bench/alternatives";
import { prepareDatabase } from "@/tools/bench/weir";
import { type Load, startLoad } from "../chaos/load";
import { databaseUrl, type Stack, startStack } from "../chaos/stack";
import { startOwnPostgres } from "./own-postgres";

const MODELS = "fake-gpt,fake-gpt:chunks=20:pace=5";
const entry = setUpBundle(["main", "gateway", "worker"]);
const folder = createRunFolder("backup");
const places = { first: join(folder, "first"), second: join(folder, "second"), fourth: join(folder, "fourth") };
const backups = join(folder, "backups");
const passphraseFile = join(folder, "passphrase");

let upstream: FakeUpstream;
let stack: Stack | null = null;
let load: Load | null = null;
let key: string;
let servedBefore: string[];
let backup: string;

type Outcome = { code: number; output: string };

/** Runs the command line as people type it, by default without npx, which only takes longer. */
function weir(
  words: string[],
  env: Record<string, string>,
  program = [process.execPath, "bin/weir.mjs"],
): Promise<Outcome> {
  const { DATABASE_URL: _url, WEIR_SECRET: _secret, ...inherited } = process.env;
  const [command = "", ...first] = program;
  const child = spawn(command, [...first, ...words], {
    env: { ...inherited, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => (output += part.toString()));
  return new Promise((done) => child.once("close", (code) => done({ code: code ?? 1, output })));
}

const withPassphrase = ["--passphrase-file", passphraseFile];
const backUp = (target: string, env: Record<string, string> = { WEIR_DATA_DIR: places.first }, program?: string[]) =>
  weir(["backup", target, ...withPassphrase], env, program);
const restore = (env: Record<string, string>, ...flags: string[]) => restoreFile(backup, env, ...flags);
const restoreFile = (file: string, env: Record<string, string>, ...flags: string[]) =>
  weir(["restore", file, ...withPassphrase, ...flags], env);

async function start(directory: string, more: Record<string, string> = {}): Promise<Stack> {
  stack = await startStack(entry("main"), directory, await freePort(), { WEIR_SECRET: "", ...more });
  return stack;
}

async function stop(): Promise<void> {
  await load?.stop();
  await stack?.stop();
  [load, stack] = [null, null];
}

beforeAll(async () => {
  chmodSync(folder, 0o711);
  for (const path of [backups, places.first]) mkdirSync(path);
  writeFileSync(passphraseFile, "correct horse battery\n");
  upstream = await startFakeUpstream();
  const { port } = await start(places.first);
  const url = databaseUrl(places.first);
  // The keys of the channel are sealed under the secret of that place.
  process.env.WEIR_SECRET = readFileSync(join(places.first, "secret"), "utf8").trim();
  key = await prepareDatabase(url, upstream.url, MODELS);
  const running = startLoad(port, key, 8);
  load = running;
  await until(() => running.whole.length >= 60, 100_000);
});

afterAll(async () => {
  await stop();
  await upstream?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** What a caller held whole before the backup was charged in it; root, channel key and API key work. */
async function expectWorking(directory: string, more: Record<string, string> = {}): Promise<void> {
  const { port } = await start(directory, more);
  const { sql, end } = createDatabase({
    url: more.DATABASE_URL ?? databaseUrl(directory),
    max: 1,
    applicationName: "test",
  });
  try {
    const rows = await sql<{ id: string }[]>`select request_id as id from usage_logs`;
    const logged = new Set(rows.map(({ id }) => id));
    expect(servedBefore.filter((id) => !logged.has(id))).toEqual([]);
    const [root] = await sql<{ hash: string }[]>`select password_hash as hash from users where role = 100`;
    expect(await verifyPassword("chaos-root-password", root?.hash ?? "")).toBe(true);
    const again = startLoad(port, key, 2);
    load = again;
    await until(() => again.whole.length >= 5, 100_000);
  } finally {
    await end();
    await stop();
  }
}

describe.sequential("a backup under load", () => {
  test("is written while answers go on, and none of them breaks", async () => {
    const running = load as Load;
    servedBefore = running.whole.map(({ requestId }) => requestId);
    const before = running.broken();
    const { code, output } = await backUp(backups, { WEIR_DATA_DIR: places.first }, ["npx", "weir"]);
    expect(output).toContain("found whole");
    expect(code).toBe(0);
    expect(running.whole.length).toBeGreaterThan(servedBefore.length);
    expect(running.broken()).toBe(before);
    backup = join(backups, readdirSync(backups)[0] ?? "");
  });

  test("is refused by the place that runs, and by one that has data", async () => {
    const running = await restore({ WEIR_DATA_DIR: places.first }, "--replace", "--yes");
    expect(running).toMatchObject({ code: 1, output: expect.stringMatching(/already runs|Stop it/) });
    await stop();
    const used = await restore({ WEIR_DATA_DIR: places.first });
    expect(used).toMatchObject({ code: 1, output: expect.stringContaining("--replace") });
  });

  test("goes into a new place, where the books are clean and everything works", async () => {
    const { code, output } = await restore({ WEIR_DATA_DIR: places.second });
    expect(output).toContain("reconcile: 0 differences");
    expect(code).toBe(0);
    await expectWorking(places.second);
  });

  test("goes into one's own PostgreSQL 15, and a backup of that into the built-in one", async () => {
    const own = await startOwnPostgres(join(folder, "own"));
    try {
      const directory = join(folder, "third");
      const { code, output } = await restore({ WEIR_DATA_DIR: directory, DATABASE_URL: own.url });
      expect(output).toContain("reconcile: 0 differences");
      expect(code).toBe(0);
      await expectWorking(directory, { DATABASE_URL: own.url });
      const file = join(folder, "of-own");
      const made = await backUp(file, { WEIR_DATA_DIR: directory, DATABASE_URL: own.url });
      expect(made).toMatchObject({ code: 0, output: expect.stringContaining("found whole") });
      const moved = await restoreFile(file, { WEIR_DATA_DIR: places.fourth });
      expect(moved).toMatchObject({ code: 0, output: expect.stringContaining("reconcile: 0 differences") });
      await expectWorking(places.fourth);
    } finally {
      await own.stop();
    }
  });

  test("on a full disk is a clear error, and no file is left", async () => {
    await start(places.first);
    const small = join(folder, "small");
    mkdirSync(small);
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=16k", "tmpfs", small], { encoding: "utf8" });
    expect(mounted.stderr, "needs root: mount -t tmpfs").toBe("");
    try {
      expect(await backUp(small)).toMatchObject({ code: 1, output: expect.stringContaining("is full; no backup") });
      expect(readdirSync(small)).toEqual([]);
    } finally {
      spawnSync("umount", [small]);
      await stop();
    }
  });
});
