import { spawnSync } from "node:child_process";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createRunFolder } from "@/lib/testing/run-folder";
// @ts-expect-error A script in plain JavaScript has no types.
import { counted, judgeCpu, readCpuSeconds } from "./cpu-seconds.mjs";

const COUNTER = join(import.meta.dirname, "count-cpu.pl");
const folder = createRunFolder("cpu-seconds");
chmodSync(folder, 0o777);
afterAll(() => rmSync(folder, { recursive: true }));

/** Computes for so many CPU seconds, however busy the machine is. */
const BURN = `function burn(seconds) {
  for (const until = process.cpuUsage().user + seconds * 1e6; process.cpuUsage().user < until; )
    for (let i = 0, sum = 0; i < 1e6; i++) sum += Math.sqrt(i);
}`;
/** Starts itself with other words, and waits or not. */
const START = `const { spawn } = require("node:child_process");
const { once } = require("node:events");
const start = (word) => spawn(process.execPath, [__filename, word], { stdio: "inherit", detached: true });`;
const program = join(folder, "program.cjs");
writeFileSync(
  program,
  `${BURN}${START}
const words = {
  family: async () => { burn(0.1); await once(start("parent"), "exit"); },
  // Ends before its child does.
  parent: async () => { burn(0.1); start("orphan").unref(); },
  orphan: async () => burn(0.6),
  killed: async () => { burn(0.15); process.kill(process.pid, "SIGKILL"); },
  "of-killed": async () => { burn(0.15); await once(start("killed"), "exit"); process.exitCode = 3; },
};
words[process.argv[2]]();`,
);

let runs = 0;
function run(word: string, before: string[] = []) {
  const file = join(folder, `seconds-${++runs}`);
  const [command = "", ...args]: string[] = [...before, ...counted(file, [process.execPath, program, word])];
  const { status, stderr } = spawnSync(command, args, { encoding: "utf8" });
  return { status, stderr, seconds: readCpuSeconds(file) };
}

const isLinux = process.platform === "linux";

test.runIf(isLinux)(
  "the CPU seconds of a command, its children and what they leave behind are added up",
  () => {
    const { status, stderr, seconds } = run("family");
    expect([status, stderr]).toEqual([0, ""]);
    expect(seconds).toBeGreaterThan(0.8);
    // Three starts of Node.js besides.
    expect(seconds).toBeLessThan(2.5);
  },
  90_000,
);

test.runIf(isLinux)(
  "those of a process that is killed count, and the command's exit code is handed on",
  () => {
    const { status, seconds } = run("of-killed");
    expect(status).toBe(3);
    expect(seconds).toBeGreaterThan(0.3);
    expect(run("killed")).toMatchObject({ status: 128 + 9, seconds: expect.any(Number) });
  },
  90_000,
);

const AS_USER = ["setpriv", "--reuid", "10001", "--regid", "10001", "--clear-groups"];
/** Root's folders may be closed to others, as that of a Node.js that was installed for one run is. */
const canUserStart =
  isLinux &&
  process.getuid?.() === 0 &&
  spawnSync("setpriv", [...AS_USER.slice(1), "sh", "-c", 'test -x "$0" -a -r "$1"', process.execPath, COUNTER])
    .status === 0;

test.runIf(canUserStart)("an ordinary user counts as root does", () => {
  const { status, stderr, seconds } = run("family", AS_USER);
  expect([status, stderr]).toEqual([0, ""]);
  expect(seconds).toBeGreaterThan(0.8);
});

test("a stage above its budget fails, and says where the budget stands; one without a budget does not", () => {
  const budget = { vitest: 900 };
  expect(judgeCpu("vitest", 900, budget)).toEqual({ text: "900 of 900 CPU s", failure: null });
  expect(judgeCpu("vitest", 900.6, budget).failure).toBe(
    "took 901 CPU seconds in all its processes; scripts/cpu-budget.mjs allows 900",
  );
  expect(judgeCpu("sql", 5_000, budget)).toEqual({ text: "5000 CPU s", failure: null });
});

test("where CPU seconds cannot be counted they are unknown, not none", () => {
  expect(readCpuSeconds(join(folder, "missing"))).toBeNull();
  expect(judgeCpu("vitest", null, { vitest: 900 })).toEqual({ text: "CPU seconds unknown", failure: null });
});
