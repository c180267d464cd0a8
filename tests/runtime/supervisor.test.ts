import { rmSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, expect, test } from "vitest";
import { setUpBundle } from "@/lib/testing/bundled-server";
import { createRunFolder } from "@/lib/testing/run-folder";
import { killHard } from "../chaos/stack";
import { childrenOf, databaseUrl, isAlive, startWeir, until, type WeirProcess } from "./weir-process";

const directory = createRunFolder("supervisor");
const env = { WEIR_ROLES: "worker", WEIR_DATA_DIR: directory };
const entry = setUpBundle(["main", "gateway", "worker"]);
let weir: WeirProcess;

afterAll(async () => {
  weir.signal("SIGTERM");
  await weir.ended;
  rmSync(directory, { recursive: true, force: true });
});

async function query<Row extends object>(text: string): Promise<Row[]> {
  const sql = postgres(databaseUrl(directory), { max: 1 });
  try {
    return await sql.unsafe<Row[]>(text);
  } finally {
    await sql.end();
  }
}

function childPid(name: string): number {
  return childrenOf(weir.pid).find((child) => child.command.includes(name))?.pid ?? 0;
}

test("the first start makes root with a random password that is shown, and a balance that the ledger explains", async () => {
  // From source once, which is how `npm run dev` starts; the bundle takes a third of the time.
  weir = startWeir(env, join("server", "main.ts"));
  await weir.waitFor(/ready in/);
  await weir.waitFor(/log in as root with the password \S{16}/);
  const select = `
    select username, role, quota::text, initial_password, split_part(password_hash, '$', 2) as cost from users`;
  expect(await query(select)).toEqual([
    { username: "root", role: 100, quota: "100000000", initial_password: 1, cost: "16384" },
  ]);
  expect(await query("select kind, amount::text from ledger_entries")).toEqual([
    { kind: "grant", amount: "100000000" },
  ]);
});

test("SIGTERM stops every process, and the data is there at the next start, without a new password", async () => {
  const pids = childrenOf(weir.pid).map((child) => child.pid);
  // The worker, PostgreSQL and the shell that stops it after a kill -9 (server/lifeline.ts).
  expect(pids.length).toBe(3);
  weir.signal("SIGTERM");
  expect(await weir.ended).toBe(0);
  // The shell of the lifeline ends by the end of its pipe.
  await until("the end of every process", () => !pids.some(isAlive), 3_000);
  weir = startWeir(env, entry("main"));
  await weir.waitFor(/ready in/);
  expect(weir.output()).not.toContain("password");
  expect(await query("select count(*)::int as count from users")).toEqual([{ count: 1 }]);
});

// A worker from source would take long to be there again, and to hear that it should end.
test("a worker killed with -9 is started again", async () => {
  const before = childPid("worker");
  killHard(before);
  await until("another worker", () => childPid("worker") > 0 && childPid("worker") !== before);
});

test("a second supervisor on the same data is refused and leaves the first alone", async () => {
  const second = startWeir(env, entry("main"));
  expect(await second.ended).toBe(1);
  expect(second.output()).toContain("already runs with this data directory");
  expect(isAlive(weir.pid)).toBe(true);
  expect(await query("select 1 as one")).toEqual([{ one: 1 }]);
});

test("after kill -9 of the supervisor its processes end, and the next start takes the data over", async () => {
  const worker = childPid("worker");
  const orphan = childPid("postgres");
  weir.signal("SIGKILL");
  await weir.ended;
  await until("the worker ends by itself", () => !isAlive(worker));
  weir = startWeir(env, entry("main"));
  await weir.waitFor(/ready in/);
  expect(isAlive(orphan)).toBe(false);
  expect(await query("select count(*)::int as count from users")).toEqual([{ count: 1 }]);
});

test("a port that is taken is said in words, with what to do", async () => {
  const { createServer } = await import("node:net");
  const other = createServer();
  await new Promise<void>((done) => other.listen(0, "0.0.0.0", () => done()));
  const address = other.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const refused = startWeir({ ...env, WEIR_ROLES: "gateway", PORT: String(port) }, entry("main"));
  expect(await refused.ended).toBe(1);
  expect(refused.output()).toContain(`Port ${port} is in use`);
  other.close();
});
