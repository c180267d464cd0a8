import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { createRunFolder } from "@/lib/testing/run-folder";
import { killHard } from "../chaos/stack";
import { childrenOf, isAlive } from "../runtime/weir-process";

// `npm start` as it is: npm, its shell, and the supervisor in the process of the command line.
const directory = createRunFolder("signals");
const poll = { timeout: 200_000, interval: 50 };

type Started = {
  child: ChildProcess;
  pid: number;
  ended: Promise<{ code: number | null; signal: string | null }>;
  output: () => string;
};
const started: Started[] = [];

afterEach(async () => {
  for (const { child, pid, ended } of started.splice(0)) {
    const pids = [pid, ...descendants(pid)];
    child.kill("SIGKILL");
    await ended;
    for (const other of pids) if (isAlive(other)) killHard(other);
  }
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

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

/** The first whose command fits; fails where there is none, because a signal to 0 would reach this test too. */
function find(pids: number[], command: RegExp): number {
  const pid = pids.find((one) => command.test(commandOf(one)));
  if (pid === undefined) throw new Error(`${command} is not among:\n${pids.map(commandOf).join("\n")}`);
  return pid;
}

const supervisorIn = (pids: number[]) => find(pids, /^\S*node bin\/weir\.mjs start/);
const npm = () => start("npm", ["start", "--no-update-notifier"]);
/** --kill-child: if this test dies, so does the namespace. */
const container = () => {
  const namespace = ["--pid", "--fork", "--mount-proc", "--kill-child"];
  return start("unshare", [...namespace, process.execPath, "bin/weir.mjs", "start"]);
};

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
    const weir = container();
    const pids = await untilReady(weir);
    const first = supervisorIn(pids.slice(1));
    expect(readFileSync(`/proc/${first}/status`, "utf8")).toMatch(/^NSpid:\s+\d+\s+1$/m);
    process.kill(first, "SIGTERM");
    expect(await weir.ended).toEqual({ code: 0, signal: null });
    expect(weir.output()).toContain("finishing what is in flight");
    expect(weir.output()).toContain("stopped");
    await expectNothingLeft(pids);
  });

  test("SIGTERM to the first process of a container while Weir starts", async () => {
    const weir = container();
    await expect.poll(weir.output, poll).toContain("starting PostgreSQL");
    const pids = [weir.pid, ...descendants(weir.pid)];
    process.kill(supervisorIn(pids.slice(1)), "SIGTERM");
    expect(await weir.ended).toEqual({ code: 0, signal: null });
    await expectNothingLeft(pids);
  });
});

describe("kill -9 of the supervisor", () => {
  test("its processes end by themselves, and PostgreSQL is stopped in good order after the last of them", async () => {
    const weir = npm();
    const pids = await untilReady(weir);
    // Another guard goes on where one was killed, for processes that were started before it.
    const killed = find(pids, /weir-lifeline/);
    killHard(killed);
    const guards = () => descendants(weir.pid).filter((pid) => pid !== killed && /weir-lifeline/.test(commandOf(pid)));
    await expect.poll(guards, poll).toHaveLength(1);
    const all = [weir.pid, ...descendants(weir.pid)];
    killHard(supervisorIn(all));
    await expectNothingLeft(all);
    // A start that finds work to recover would log it; the log holds nothing below "warning" else.
    const again = npm();
    await untilReady(again);
    again.child.kill("SIGTERM");
    expect((await again.ended).code).toBe(0);
    const log = readFileSync(join(directory, "data", "postgres", "postgres.log"), "utf8");
    expect(log).not.toContain("was not properly shut down");
  });
});
