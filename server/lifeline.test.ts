import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { createRunFolder } from "@/lib/testing/run-folder";
import { until } from "@/lib/testing/until";
import { killHard } from "@/tests/chaos/stack";
import { childrenOf, isAlive } from "@/tests/runtime/weir-process";

// The supervisor is a process of its own here, which holds the line of one child; `sleep` stands for PostgreSQL.
const directory = createRunFolder("lifeline");
const data = join(directory, "data");
const waitMs = 60_000;
const supervisorScript = `
  import { spawn } from "node:child_process";
  const { startLifeline } = await import("./server/lifeline.ts");
  const [data, directory, server] = process.argv.slice(1);
  const lifeline = startLifeline({ data, directory, owner: null, tell: (text) => console.error(text) });
  lifeline.watch(Number(server));
  const child = spawn("sleep", ["600"], { stdio: ["ignore", "ignore", "ignore", lifeline.end], detached: true });
  process.on("SIGTERM", () => lifeline.cut());
  setInterval(() => {}, 1_000);
  console.log(child.pid);`;

let server: ChildProcess;
let supervisor: ChildProcess;
let childPid: number;
let told: string;
const isServerAlive = () => isAlive(server.pid ?? 0);
const guard = () =>
  childrenOf(supervisor.pid ?? 0).find(({ command }) => command.includes(`weir-lifeline ${data}`))?.pid ?? 0;

beforeEach(async () => {
  mkdirSync(data, { recursive: true });
  server = spawn("sleep", ["600"], { stdio: "ignore" });
  writeFileSync(join(data, "postmaster.pid"), `${server.pid}\n`);
  const args = ["--import", "tsx", "--input-type=module", "-e", supervisorScript, data, directory, String(server.pid)];
  supervisor = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  told = "";
  supervisor.stderr?.on("data", (part) => (told += part));
  const [line] = await once(supervisor.stdout as NodeJS.ReadableStream, "data");
  childPid = Number(line);
  await until(() => guard() > 0, waitMs);
});

afterEach(() => {
  // The guard ends with them.
  for (const pid of [supervisor.pid, childPid, server.pid]) if (pid) killHard(pid);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Kills the supervisor, then its child; the server may end only after the second. */
async function killAll(): Promise<void> {
  const ended = once(server, "exit");
  killHard(supervisor.pid ?? 0);
  await once(supervisor, "exit");
  expect([isServerAlive(), isAlive(childPid)]).toEqual([true, true]);
  killHard(childPid);
  expect((await ended)[1]).toBe("SIGINT");
}

test("after kill -9 of the supervisor the server is stopped when its last child has ended", async () => {
  expect(readdirSync(directory)).toEqual(["data"]);
  await killAll();
});

test("a guard that was killed is started again, and watches children that were started before", async () => {
  const first = guard();
  killHard(first);
  await until(() => guard() > 0 && guard() !== first, waitMs);
  // What the supervisor writes arrives later than its new guard is seen.
  await until(() => told.includes("starting it again"), waitMs);
  await killAll();
});

test("the guard leaves the server of the next start alone", async () => {
  const next = spawn("sleep", ["600"], { stdio: "ignore" });
  try {
    writeFileSync(join(data, "postmaster.pid"), `${next.pid}\n`);
    const shell = guard();
    for (const pid of [supervisor.pid ?? 0, childPid]) killHard(pid);
    await until(() => !isAlive(shell), waitMs);
    expect([isServerAlive(), isAlive(next.pid ?? 0)]).toEqual([true, true]);
  } finally {
    killHard(next.pid ?? 0);
  }
});

test("a guard that is let go is not started again, and the server goes on", async () => {
  const shell = guard();
  supervisor.kill("SIGTERM");
  await until(() => !isAlive(shell), waitMs);
  // Longer than it takes to start another.
  await new Promise((done) => setTimeout(done, 1_000));
  expect([guard(), isServerAlive()]).toEqual([0, true]);
});
