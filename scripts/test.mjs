import { spawn, spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { dirname, join } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { counted, judgeCpu, readCpuSeconds } from "./cpu-seconds.mjs";
import { nodeRuns, otherNode } from "./node-stages.mjs";
import { checkNode, ensureInstalled, say } from "./steps.mjs";
import { printFailed, printFlaky, printSlowest, readPlaywright, readVitest } from "./test-report.mjs";

// Everything that CI runs. `--only=vitest` or `--skip=e2e,verify` select stages; the last line is the total. The checks
// and the build run beside the first tests, which often wait; at the lowest priority, so that no test waits for them. The
// stages in `extra` are run only where `--only` names them: those with real parts around Weir (operations), on the PostgreSQL of
// `--database=URL` (sql) and on the Node.js of `--node=MAJOR` (node-…) beside each other, then what needs the machine alone.
// A stage also fails where all its processes together take more CPU seconds than scripts/cpu-budget.mjs allows.

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const stages = ["verify", "vitest", "build", "e2e"];
const resultDirectory = "test-results";
const list = (flag) =>
  process.argv.flatMap((word) => (word.startsWith(`--${flag}=`) ? word.slice(flag.length + 3).split(",") : []));
const only = list("only");
const skip = new Set(list("skip"));
const nodeStages = Object.keys(nodeRuns);
const extra = ["trials", "operations", "sql", ...nodeStages, "alone"];
const chosen = [...stages, ...extra].filter(
  (stage) => (only.length === 0 ? !extra.includes(stage) : only.includes(stage)) && !skip.has(stage),
);
const total = { passed: 0, failed: 0, tests: [] };

/** Where the CPU seconds of a stage are written. */
const cpuFileOf = (stage) => join(resultDirectory, `${stage}.cpu`);

const STAGE_MS = 40 * 60_000;

/**
 * Runs a command and resolves to its exit code. `stage`: whose CPU seconds these are. `isBeside`: other stages print meanwhile, so
 * its output goes to test-results/STAGE.log and is printed when it is over.
 */
function run(command, args, { env = {}, stage, isBeside = false, niceness = 0 } = {}) {
  const [file, ...words] = stage ? counted(cpuFileOf(stage), [command, ...args], niceness) : [command, ...args];
  const log = isBeside ? join(resultDirectory, `${stage}.log`) : null;
  const output = log ? openSync(log, "w") : "inherit";
  return new Promise((done) => {
    const stdio = ["ignore", output, output];
    const child = spawn(file, words, { stdio, env: { ...process.env, ...env }, timeout: STAGE_MS });
    if (log) closeSync(output);
    // What the child starts inherits it.
    if (child.pid && niceness !== 0) setPriority(child.pid, niceness);
    child.once("error", (error) => console.error(error.message));
    child.once("close", (code, signal) => {
      if (log) process.stdout.write(readFileSync(log));
      if (signal || code > 128)
        console.log(`failed: ${stage ?? command} was ended by ${signal ?? `signal ${code - 128}`}`);
      done(code ?? 1);
    });
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

async function vitest(stage, { env = {}, args = [], node = process.execPath, isBeside = false } = {}) {
  const file = join(resultDirectory, `${stage}.json`);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const words = [join("node_modules", "vitest", "vitest.mjs"), "run", ...args, ...reporters];
  const code = await run(node, words, { env, stage, isBeside });
  const report = readVitest(file);
  // A run that found no test has tested nothing.
  return count(report, report.passed === 0 ? 1 : code);
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

/** A script of the repository, at the lowest priority beside the tests. */
const script = async (stage, args) =>
  count(
    noTests,
    await run(process.execPath, args, { stage, isBeside: true, niceness: constants.priority.PRIORITY_LOW }),
  );

const isBeside = chosen.length > 1;
const operations = ["--config", "vitest.operations.config.ts", "--project"];

async function onOtherNode(stage) {
  const { args, env } = nodeRuns[stage];
  const node = await otherNode(list("node")[0]);
  return vitest(stage, { args, env: { ...env, ...node.env }, node: node.binary, isBeside });
}

/** Only the tests whose result may depend on the PostgreSQL version; tests/projects.ts selects the files. */
function sql(stage) {
  const [url = process.env.TEST_DATABASE_URL ?? ""] = list("database");
  return vitest(stage, { env: { WEIR_TEST_ONLY_SQL: "1", TEST_DATABASE_URL: url }, isBeside });
}

const runners = {
  verify: (stage) => script(stage, [join("scripts", "verify.mjs")]),
  vitest: (stage) => vitest(stage),
  build: (stage) => script(stage, [join("bin", "weir.mjs"), "build", "--if-changed"]),
  e2e: (stage) => e2e(stage),
  // Too long for every run.
  trials: (stage) => e2e(stage, "trials.config.ts"),
  operations: (stage) => vitest(stage, { args: [...operations, "beside"] }),
  sql,
  ...Object.fromEntries(nodeStages.map((stage) => [stage, onOtherNode])),
  alone: (stage) => vitest(stage, { args: [...operations, "alone"] }),
};

try {
  checkNode();
  const unknown = [...only, ...skip].filter((stage) => !stages.includes(stage) && !extra.includes(stage));
  if (unknown.length > 0) throw new Error(`no stage is called ${unknown}; there are ${[...stages, ...extra]}`);
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
await Promise.all([built, runInOrder(["vitest"])]);
await runInOrder(["e2e", "trials"]);
await checked;
// The library takes both cores for itself, so it waits for those that wait.
await Promise.all([runInOrder(["operations", "node-library"]), runInOrder(["sql", "node-system", "node-built"])]);
await runInOrder(["alone"]);
printSlowest(total.tests);
console.log(`\n${times.join(", ")}`);
printFlaky(total.tests);
printFailed(total.tests);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);
