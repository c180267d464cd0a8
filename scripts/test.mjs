import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { dirname, join } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { counted, judgeCpu, readCpuSeconds } from "./cpu-seconds.mjs";
import { checkNode, ensureInstalled, say } from "./steps.mjs";
import { printFailed, printFlaky, printSlowest, readPlaywright, readVitest } from "./test-report.mjs";

// Everything that CI runs. `--only=vitest` or `--skip=e2e,verify` select stages; the last line is the total. The checks
// and the build run beside the first tests, which often wait; at the lowest priority, so that no test waits for them.
// A stage also fails where all its processes together take more CPU seconds than scripts/cpu-budget.mjs allows.

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const stages = ["verify", "vitest", "build", "e2e"];
const resultDirectory = "test-results";
const list = (flag) =>
  process.argv.flatMap((word) => (word.startsWith(`--${flag}=`) ? word.slice(flag.length + 3).split(",") : []));
const only = list("only");
const skip = new Set(list("skip"));
const extra = ["sql", "trials", "operations"];
const chosen = [...stages, ...extra].filter(
  (stage) => (only.length === 0 ? !extra.includes(stage) : only.includes(stage)) && !skip.has(stage),
);
const total = { passed: 0, failed: 0, tests: [] };

/** Where the CPU seconds of a stage are written. */
const cpuFileOf = (stage) => join(resultDirectory, `${stage}.cpu`);

/** `stage`: whose CPU seconds these are. */
function run(command, args, { env = {}, stage } = {}) {
  const [file, ...words] = stage ? counted(cpuFileOf(stage), [command, ...args]) : [command, ...args];
  return new Promise((done) => {
    const child = spawn(file, words, { stdio: ["ignore", "inherit", "inherit"], env: { ...process.env, ...env } });
    child.once("error", () => done(1));
    child.once("close", (code) => done(code ?? 1));
  });
}

/** Runs a stage at the lowest priority and prints its output when it is over. */
function runInBackground(stage, args) {
  const [file, ...words] = counted(cpuFileOf(stage), [process.execPath, ...args], constants.priority.PRIORITY_LOW);
  return new Promise((done) => {
    const child = spawn(file, words, { stdio: ["ignore", "pipe", "pipe"] });
    // What the child starts inherits it.
    if (child.pid) setPriority(child.pid, constants.priority.PRIORITY_LOW);
    let output = "";
    const collect = (data) => {
      output += data;
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    const end = (code) => {
      process.stdout.write(output);
      done(code ?? 1);
    };
    child.once("error", (error) => {
      collect(error.message);
      end(1);
    });
    child.once("close", end);
  });
}

/** Returns how many failures were added. */
function count({ passed, failed, tests }, code) {
  // A stage that fails without a failed test (a crash, a file that does not load) counts as one failure.
  const failures = failed === 0 && code !== 0 ? 1 : failed;
  total.passed += passed;
  total.failed += failures;
  total.tests.push(...tests);
  return failures;
}

const noTests = { passed: 0, failed: 0, tests: [] };

async function vitest(stage, { env = {}, args = [] } = {}) {
  const file = join(resultDirectory, `${stage}.json`);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const words = [join("node_modules", "vitest", "vitest.mjs"), "run", ...args, ...reporters];
  const code = await run(process.execPath, words, { env, stage });
  return count(readVitest(file), code);
}

const headlessShell = "/usr/bin/chromium-headless-shell";
/** The headless shell comes first: an empty page takes a quarter of the CPU time it takes in the full browser. */
const systemBrowsers = [headlessShell, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Looks for an installed Chromium, then Playwright's own, then the distribution's package. */
async function findBrowser() {
  const installed = [process.env.CHROMIUM_PATH, ...systemBrowsers].find((path) => path && existsSync(path));
  if (installed) return installed;
  const { chromium } = await import("@playwright/test");
  if (existsSync(chromium.executablePath())) return null;
  const isDebianRoot = process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");
  if (isDebianRoot) {
    say("no browser found; installing the distribution's Chromium (a minute or two)");
    const quiet = { DEBIAN_FRONTEND: "noninteractive" };
    await run("apt-get", ["update", "-qq"], { env: quiet });
    await run(
      "apt-get",
      ["install", "-y", "-qq", "--no-install-recommends", "chromium-headless-shell", "fonts-noto-cjk"],
      { env: quiet },
    );
    if (existsSync(headlessShell)) return headlessShell;
  }
  say("no browser found; asking Playwright to download one");
  const answer = spawnSync(process.execPath, [join("node_modules", "playwright", "cli.js"), "install", "chromium"], {
    stdio: ["ignore", "inherit", "inherit"],
    timeout: 300_000,
  });
  if (answer.status === 0) return null;
  throw new Error("no browser. Install Chromium, or set CHROMIUM_PATH to one, and run npm test again.");
}

async function e2e(stage, config = "playwright.config.ts") {
  const browser = await findBrowser();
  const file = join(resultDirectory, "playwright.json");
  const args = [join("node_modules", "@playwright", "test", "cli.js"), "test", "--config", `e2e/${config}`];
  const env = {
    PLAYWRIGHT_JSON_OUTPUT_NAME: join(process.cwd(), file),
    ...(browser ? { CHROMIUM_PATH: browser } : {}),
  };
  const code = await run(process.execPath, [...args, "--reporter=list,json"], { env, stage });
  return count(readPlaywright(file), code);
}

const runners = {
  verify: async (stage) => count(noTests, await runInBackground(stage, [join("scripts", "verify.mjs")])),
  vitest: (stage) => vitest(stage),
  // Only the tests whose result may depend on the PostgreSQL version; tests/projects.ts selects the files.
  sql: (stage) => vitest(stage, { env: { WEIR_TEST_ONLY_SQL: "1" } }),
  build: async (stage) =>
    count(noTests, await runInBackground(stage, [join("bin", "weir.mjs"), "build", "--if-changed"])),
  e2e: (stage) => e2e(stage),
  // Too long for every run.
  trials: (stage) => e2e(stage, "trials.config.ts"),
  // Alone, because it measures; CI runs it as a step of its own.
  operations: (stage) => vitest(stage, { args: ["--config", "vitest.operations.config.ts"] }),
};

try {
  checkNode();
  await ensureInstalled();
  rmSync(resultDirectory, { recursive: true, force: true });
  mkdirSync(resultDirectory, { recursive: true });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.log("0 passed, 1 failed");
  process.exit(1);
}
const times = [];

async function runStage(stage) {
  say(`── ${stage}`);
  const from = performance.now();
  let failures = 0;
  try {
    failures = await runners[stage](stage);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    failures = count(noTests, 1);
  }
  const cpu = judgeCpu(stage, readCpuSeconds(cpuFileOf(stage)));
  if (cpu.failure) {
    const test = { name: `the stage ${stage}`, seconds: 0, isFlaky: false, failure: cpu.failure };
    failures += count({ passed: 0, failed: 1, tests: [test] }, 0);
  }
  const seconds = Math.round((performance.now() - from) / 1000);
  times.push(`${stage} ${seconds} s (${cpu.text})`);
  say(`── ${stage}: ${failures === 0 ? "passed" : "FAILED"} after ${seconds} s, ${cpu.text}`);
}

async function runInOrder(group) {
  for (const stage of group) if (chosen.includes(stage)) await runStage(stage);
}

// Both write types into .next, so they run one after the other. The browsers need the build; the checks may go on beside them.
const built = runInOrder(["build"]);
const checked = built.then(() => runInOrder(["verify"]));
await Promise.all([built, runInOrder(["vitest", "sql"])]);
await runInOrder(["e2e", "trials"]);
await checked;
await runInOrder(["operations"]);
printSlowest(total.tests);
console.log(`\n${times.join(", ")}`);
printFlaky(total.tests);
printFailed(total.tests);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);
