import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { createDatabase } from "@/db/client";
import { sealerOf } from "@/lib/crypto";
import { rotateSecret } from "@/lib/secret/secret-commands";
import { setUpBundle } from "@/lib/testing/bundled-server";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { rewriteBooks } from "@/lib/testing/rewrite-books";
import { createRunFolder } from "@/lib/testing/run-folder";
import { settleSecret, writeNextSecret } from "@/server/installation-secret";

const OLD = "old-secret-old-secret-old-secret";
const NEW = "new-secret-new-secret-new-secret";
const entry = setUpBundle(["commands/key"]);
let database: TestDatabase;
let folder = "";

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  folder = createRunFolder("key-rotation");
  writeFileSync(join(folder, "secret"), `${OLD}\n`, { mode: 0o600 });
  await fill(50);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** One sealed value of every kind, and many captures. */
async function fill(captures: number): Promise<void> {
  const { seal } = sealerOf(OLD);
  const { sql } = database;
  await rewriteBooks(sql, "truncate users, channels, options, option_versions, captures restart identity cascade");
  await sql`insert into users (id, username) values (1, 'alice')`;
  await sql`insert into channels (id, type, name, key_cipher) values (1, 1, 'one', ${seal("channel")})`;
  await sql`insert into channel_keys (channel_id, key_cipher, fingerprint) values (1, ${seal("key")}, 'f')`;
  await sql`insert into tokens (user_id, name, key_hash, key_cipher, key_hint)
    values (1, 't', 'h', ${seal("token")}, 'hint')`;
  await sql`insert into options (key, value, sealed) values ('SMTPToken', ${seal("mail")}, true), ('Notice', 'v1.x', false)`;
  await sql`insert into option_versions (key, before, after, sealed) values ('SMTPToken', null, ${seal("mail")}, true)`;
  await sql`insert into notification_targets (user_id, kind, config_cipher) values (1, 'email', ${seal("{}")})`;
  await sql`insert into totp_factors (user_id, secret_cipher) values (1, ${seal("totp")})`;
  const rows = Array.from({ length: captures }, (_, index) => ({
    request_id: `r${index}`,
    user_id: 1,
    token_id: 1,
    expires_at: 2_000_000_000,
    path: "/v1",
    model_name: "m",
    status: 200,
    request_bytes: 1,
    answer_bytes: 1,
    sealed: seal(`capture ${index} ${"x".repeat(200)}`),
  }));
  for (let from = 0; from < rows.length; from += 1_000)
    await sql`insert into captures ${sql(rows.slice(from, from + 1_000))}`;
}

/** How many of the sealed values open with a secret, and how many do not. */
async function count(secret: string): Promise<{ opens: number; closed: number }> {
  const rows = await database.sql<{ value: string }[]>`
    select key_cipher as value from channels union all select key_cipher from channel_keys
    union all select key_cipher from tokens union all select value from options where sealed
    union all select after from option_versions where sealed
    union all select config_cipher from notification_targets union all select secret_cipher from totp_factors
    union all select sealed from captures`;
  const { unseal } = sealerOf(secret);
  const opens = rows.filter(({ value }) => {
    try {
      return unseal(value) !== "";
    } catch {
      return false;
    }
  }).length;
  return { opens, closed: rows.length - opens };
}

type Run = { child: ChildProcess; output: () => string; ended: Promise<number | null> };

function rotate(env: Record<string, string> = {}): Run {
  const { WEIR_SECRET: _secret, ...inherited } = process.env;
  const script = `
    const { run } = await import(${JSON.stringify(pathToFileURL(entry("key")).href)});
    process.exitCode = await run({}, ["rotate"]).catch((error) => (console.error(error.message), 1));`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    env: { ...inherited, DATABASE_URL: database.url, WEIR_DATA_DIR: folder, ...env },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (data) => (output += String(data)));
  return { child, output: () => output, ended: new Promise((done) => child.once("close", done)) };
}

const inFile = (name: string) => readFileSync(join(folder, name), "utf8").trim();

test("weir key rotate seals everything under a new secret, which is in the data directory and nowhere else", async () => {
  const circuits = await database.sql`select * from channel_circuits`;
  const run = rotate();
  expect([await run.ended, run.output()]).toEqual([0, expect.stringContaining("tokens.key_cipher: 1 sealed anew")]);
  const secret = inFile("secret");
  expect(secret).not.toBe(OLD);
  expect(run.output()).not.toContain(secret);
  expect(statSync(join(folder, "secret")).mode & 0o777).toBe(0o600);
  expect(existsSync(join(folder, "secret.next"))).toBe(false);
  expect(await count(secret)).toMatchObject({ closed: 0 });
  expect(await count(OLD)).toMatchObject({ opens: 0 });
  expect(await database.sql`select value from options where key = 'Notice'`).toEqual([{ value: "v1.x" }]);
  expect(await database.sql`select * from channel_circuits`).toEqual(circuits);
  const [trigger] = await database.sql`select count(*)::int as off from pg_trigger where tgenabled = 'D'`;
  expect(trigger).toEqual({ off: 0 });
  expect(await settleSecret(database.url, folder, undefined)).toBe(secret);
});

test("killed with -9 in the middle, everything is sealed under one secret, and the next start has it", async () => {
  await fill(20_000);
  const run = rotate();
  await expect.poll(run.output, { timeout: 20_000, interval: 2 }).toContain("totp_factors");
  run.child.kill("SIGKILL");
  await run.ended;
  const secret = await settleSecret(database.url, folder, undefined);
  expect(inFile("secret")).toBe(secret);
  expect(await count(secret)).toMatchObject({ closed: 0 });
  expect(existsSync(join(folder, "secret.next"))).toBe(false);
});

test("cut off between its commit and the file, the next start takes the new secret", async () => {
  const prepare = () => writeNextSecret(folder, NEW);
  await rotateSecret(database.sql, { from: OLD, to: NEW, keepUnreadable: false, prepare, onTable: () => {} });
  expect(inFile("secret")).toBe(OLD);
  await expect(settleSecret(database.url, folder, OLD)).rejects.toThrow("secret.next");
  expect(await settleSecret(database.url, folder, undefined)).toBe(NEW);
  expect(inFile("secret")).toBe(NEW);
});

test("with WEIR_SECRET in the environment the new secret waits in a file until it is set there", async () => {
  const run = rotate({ WEIR_SECRET: OLD });
  expect([await run.ended, run.output()]).toEqual([0, expect.stringContaining("set WEIR_SECRET to it")]);
  const secret = inFile("secret.next");
  expect(await settleSecret(database.url, folder, secret)).toBe(secret);
  expect(existsSync(join(folder, "secret.next"))).toBe(false);
});

test("beside a running Weir it is refused and nothing changes", async () => {
  const running = createDatabase({ url: database.url, max: 1, applicationName: "weir-console" });
  await running.sql`select 1`;
  const run = rotate();
  expect([await run.ended, run.output()]).toEqual([
    1,
    expect.stringContaining("Weir runs on this database (weir-console)"),
  ]);
  await running.end();
  expect(await count(OLD)).toMatchObject({ closed: 0 });
  expect([inFile("secret"), existsSync(join(folder, "secret.next"))]).toEqual([OLD, false]);
});

test("a start with another secret than the database's is refused, before anything is sealed under it", async () => {
  await expect(settleSecret(database.url, folder, NEW)).rejects.toThrow("not the secret that this database");
  expect(await settleSecret(database.url, folder, undefined)).toBe(OLD);
  await expect(settleSecret(database.url, folder, NEW)).rejects.toThrow("not the secret that this database");
});

test("a value that the present secret does not open ends the rotation, unless it is told to leave it", async () => {
  await database.sql`update tokens set key_cipher = ${sealerOf(NEW).seal("lost")}`;
  const given = { from: OLD, to: "third-secret-third-secret", prepare: () => {}, onTable: () => {} };
  await expect(rotateSecret(database.sql, { ...given, keepUnreadable: false })).rejects.toThrow(
    "tokens.key_cipher of 1",
  );
  expect(await count(OLD)).toMatchObject({ closed: 1 });
  await rotateSecret(database.sql, { ...given, keepUnreadable: true });
  expect(await count(given.to)).toMatchObject({ closed: 1 });
});
