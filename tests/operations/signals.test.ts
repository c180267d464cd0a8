import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { setUpBundle } from "@/lib/testing/bundled-server";
import { createRunFolder } from "@/lib/testing/run-folder";
import { childrenOf, isAlive } from "../runtime/weir-process";

// How `npm start` runs: npm, its shell, and the supervisor in the process of the command line.
const directory = createRunFolder("signals");
const entry = setUpBundle(["main", "gateway", "worker"]);
const poll = { timeout: 60_000, interval: 50 };

type Started = {
  child: ChildProcess;
  pid: number;
  ended: Promise<{ code: number | null; signal: string | null }>;
  output: () => string;
};
const started: Started[] = [];

beforeAll(() => {
  mkdirSync(directory, { recursive: true });
  const main = `process.chdir(${JSON.stringify(process.cwd())});
    await import(${JSON.stringify(pathToFileURL(entry("main")).href)});`;
  writeFileSync(join(directory, "start.mjs"), main);
  writeFileSync(
    join(directory, "package.json"),
    JSON.stringify({ name: "as-npm-start", private: true, scripts: { start: "exec node start.mjs" } }),
  );
});

afterEach(async () => {
  for (const { child, pid, ended } of started.splice(0)) {
    const pids = [pid, ...descendants(pid)];
    child.kill("SIGKILL");
    await ended;
    for (const other of pids) if (isAlive(other)) process.kill(other, "SIGKILL");
  }
});

function start(command: string, args: string[]): Started {
  const { DATABASE_URL: _url, WEIR_SECRET: _secret, ...inherited } = process.env;
  const settings = {
    PORT: "0",
    HOST: "127.0.0.1",
    WEIR_ROLES: "gateway,worker",
    WEIR_GATEWAY_WORKERS: "1",
    WEIR_DATA_DIR: join(directory, "data"),
    WEIR_DRAIN_PAUSE_SECONDS: "0",
  };
  const child = spawn(command, args, {
    cwd: directory,
    env: { ...inherited, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (data) => (output += String(data)));
  const ended = new Promise<{ code: number | null; signal: string | null }>((done) =>
    child.once("exit", (code, signal) => done({ code, signal })),
  );
  const process_ = { child, pid: child.pid ?? 0, ended, output: () => output };
  started.push(process_);
  return process_;
}

function descendants(pid: number): number[] {
  if (!isAlive(pid)) return [];
  return childrenOf(pid).flatMap((child) => [child.pid, ...descendants(child.pid)]);
}

function commandOf(pid: number): string {
  return isAlive(pid) ? readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ") : "";
}

async function untilReady(weir: Started): Promise<number[]> {
  await expect.poll(weir.output, poll).toContain("ready in");
  const pids = descendants(weir.pid);
  // A check of the check: the database, its lifeline, the gateway and the worker are among them.
  const commands = pids.map(commandOf);
  for (const part of ["bin/postgres", "weir-lifeline", "gateway.js", "worker.js"]) {
    expect(
      commands.some((command) => command.includes(part)),
      `${part} runs`,
    ).toBe(true);
  }
  return [weir.pid, ...pids];
}

async function expectNothingLeft(pids: number[]): Promise<void> {
  await expect.poll(() => pids.filter(isAlive).map(commandOf), poll).toEqual([]);
  expect(existsSync(join(directory, "data", "postgres", "data", "postmaster.pid"))).toBe(false);
}

const supervisorIn = (pids: number[]) => pids.find((pid) => /^\S*node \S*start\.mjs/.test(commandOf(pid))) ?? 0;
const npm = () => start("npm", ["start", "--no-update-notifier"]);

describe("whoever is told to stop, Weir drains, ends with code 0 and leaves nothing running", () => {
  test.each(["SIGTERM", "SIGINT"] as const)("%s to npm", async (signal) => {
    const weir = npm();
    const pids = await untilReady(weir);
    weir.child.kill(signal);
    expect(await weir.ended).toEqual({ code: 0, signal: null });
    expect(weir.output()).toContain("finishing what is in flight");
    expect(weir.output()).toContain("stopped");
    await expectNothingLeft(pids);
  });

  test("SIGTERM to the supervisor below npm", async () => {
    const weir = npm();
    const pids = await untilReady(weir);
    process.kill(supervisorIn(pids), "SIGTERM");
    expect(await weir.ended).toEqual({ code: 0, signal: null });
    await expectNothingLeft(pids);
  });

  test("SIGTERM to the first process of a container", async () => {
    // --kill-child: if this test dies, so does the namespace.
    const weir = start("unshare", ["--pid", "--fork", "--mount-proc", "--kill-child", process.execPath, "start.mjs"]);
    const pids = await untilReady(weir);
    process.kill(supervisorIn(pids), "SIGTERM");
    expect(await weir.ended).toEqual({ code: 0, signal: null });
    expect(weir.output()).toContain("stopped");
    await expectNothingLeft(pids);
  });
});

describe("kill -9 of the supervisor", () => {
  test("its processes end by themselves, and PostgreSQL is stopped in good order after the last of them", async () => {
    const weir = npm();
    const pids = await untilReady(weir);
    process.kill(supervisorIn(pids), "SIGKILL");
    await expectNothingLeft(pids);
    // A start that finds work to recover would log it; the log holds nothing below "warning" else.
    const again = npm();
    await untilReady(again);
    again.child.kill("SIGTERM");
    expect((await again.ended).code).toBe(0);
    const log = readFileSync(join(directory, "data", "postgres", "postgres.log"), "utf8");
    expect(log).not.toContain("was not properly shut down");
    rmSync(directory, { recursive: true, force: true });
  });

  test("the old database's guard leaves the next start's database alone", async () => {
    mkdirSync(directory, { recursive: true });
    const { startLifeline } = await import("@/server/lifeline");
    const server = spawn("sleep", ["60"]);
    const other = spawn("sleep", ["60"]);
    try {
      writeFileSync(join(directory, "postmaster.pid"), `${other.pid}\n`);
      const lifeline = startLifeline(directory, null);
      lifeline?.watch(server.pid ?? 0);
      const finished = new Promise((done) => lifeline?.end.once("close", done));
      lifeline?.end.end();
      await finished;
      expect([isAlive(server.pid ?? 0), isAlive(other.pid ?? 0)]).toEqual([true, true]);
    } finally {
      server.kill("SIGKILL");
      other.kill("SIGKILL");
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
