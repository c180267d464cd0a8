import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { getPriority } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { connect } from "@/db/connect";
import { createRunFolder } from "@/lib/testing/run-folder";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "./embedded-postgres";
import { fillWal } from "./fill-wal";

const directory = createRunFolder("embedded");
const deaths: string[] = [];
let server: EmbeddedPostgres | undefined;
/** The supervisor of `server` was killed: nobody starts it again. */
let isSupervisorGone = false;

function start(): Promise<EmbeddedPostgres> {
  const onDeath = (message: string) => {
    deaths.push(message);
    if (isSupervisorGone) server?.kill();
  };
  return startEmbeddedPostgres({ directory, onDeath });
}

function lockedPid(): number {
  return Number(readFileSync(join(directory, "data", "postmaster.pid"), "utf8").split("\n")[0]);
}

async function countRows(url: string): Promise<number> {
  const sql = connect(url, { max: 1, onnotice: () => {} });
  try {
    await sql`create table if not exists kept (id int)`;
    await sql`insert into kept values (1)`;
    const [row] = await sql<{ count: number }[]>`select count(*)::int as count from kept`;
    return row?.count ?? 0;
  } finally {
    await sql.end();
  }
}

async function eventually<T>(attempt: () => Promise<T>): Promise<T> {
  for (let left = 100; ; left--) {
    try {
      return await attempt();
    } catch (error) {
      if (left === 0) throw error;
      await delay(100);
    }
  }
}

afterAll(async () => {
  await server?.stop();
  rmSync(directory, { recursive: true, force: true });
});

test("the data outlives a restart, at the same address and with the same password", async () => {
  server = await start();
  const { url } = server;
  expect(await countRows(url)).toBe(1);
  await server.stop();
  server = await start();
  expect(server.url).toBe(url);
  expect(await countRows(url)).toBe(2);
});

test("the files of the write-ahead log are made in advance, once", async () => {
  const { url } = server ?? (await start());
  expect(await fillWal(url)).toBeGreaterThan(16);
  expect(await fillWal(url)).toBe(0);
  const files = readdirSync(join(directory, "data", "pg_wal")).filter((name) => /^[0-9A-F]{24}$/.test(name));
  expect(files.length).toBeGreaterThan(16);
});

test("PostgreSQL gives way to the gateway: its processes have a lower priority", () => {
  const listed = spawnSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" }).stdout.trim().split("\n");
  const lasting = listed
    .filter((line) => /checkpointer|walwriter|background writer/.test(line))
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([pid = 0, parent]) => (parent === lockedPid() ? [pid] : []));
  expect(lasting.length).toBe(3);
  const lower = Math.min(19, getPriority() + 5);
  expect([lockedPid(), ...lasting].map((pid) => getPriority(pid))).toEqual([lower, lower, lower, lower]);
});

test("password and log are private files", () => {
  for (const name of ["password", "postgres.log", "port"]) {
    expect(statSync(join(directory, name)).mode & 0o077, name).toBe(0);
  }
});

test("a wrong password is refused", async () => {
  const url = new URL(server?.url ?? "");
  url.password = "wrong";
  await expect(countRows(url.href)).rejects.toThrow(/password/);
});

test("the Unix socket of its own processes is in a folder that nobody else can enter, and asks for the password too", async () => {
  const url = new URL(server?.localUrl ?? "");
  const folder = url.searchParams.get("host") ?? "";
  expect(statSync(folder).mode & 0o077).toBe(0);
  expect(readdirSync(folder)).toContain(`.s.PGSQL.${url.port}`);
  const sql = connect(url.href, { max: 1 });
  const [row] = await sql<{ address: string | null }[]>`select inet_client_addr() as address`.finally(() => sql.end());
  expect(row?.address).toBeNull();
  url.password = "wrong";
  await expect(countRows(url.href)).rejects.toThrow(/password/);
});

test("PostgreSQL killed with -9 comes back by itself with everything committed", async () => {
  const before = lockedPid();
  process.kill(before, "SIGKILL");
  expect(await eventually(() => countRows(server?.url ?? ""))).toBe(3);
  expect(lockedPid()).not.toBe(before);
  expect(deaths.length).toBeGreaterThan(0);
});

test("a lock file that another program's process number is in does not keep it from starting", async () => {
  await server?.stop();
  for (const name of ["postmaster.pid", `.s.PGSQL.${server?.port}.lock`]) {
    writeFileSync(join(directory, "data", name), `${process.pid}\n${join(directory, "data")}\n`);
  }
  server = await start();
  expect(await countRows(server.url)).toBe(4);
});

test("a PostgreSQL whose supervisor was killed is stopped before a new one starts", async () => {
  const orphan = lockedPid();
  isSupervisorGone = true;
  const second = await start();
  isSupervisorGone = false;
  try {
    expect(lockedPid()).not.toBe(orphan);
    expect(spawnSync("kill", ["-0", String(orphan)]).status).not.toBe(0);
    expect(await countRows(second.url)).toBe(5);
  } finally {
    await server?.stop();
    server = second;
  }
});
