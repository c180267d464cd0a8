import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { checkNode, ensureBuilt, ensureInstalled, say } from "./steps.mjs";
import { printFlaky, printSlowest, readPlaywright, readVitest } from "./test-report.mjs";

// Everything that CI runs. `--only=vitest` or `--skip=e2e,verify` select stages; the last line is the total. The stages
// run one after the other: each uses two cores, and tests with a deadline of a second would fail beside a build.

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const stages = ["verify", "vitest", "build", "e2e"];
const resultDirectory = "test-results";
const list = (flag) =>
  process.argv.flatMap((word) => (word.startsWith(`--${flag}=`) ? word.slice(flag.length + 3).split(",") : []));
const only = list("only");
const skip = new Set(list("skip"));
const chosen = [...stages, "sql"].filter(
  (stage) => (only.length === 0 ? stage !== "sql" : only.includes(stage)) && !skip.has(stage),
);
const total = { passed: 0, failed: 0, tests: [] };

function run(command, args, env = {}) {
  return new Promise((done) => {
    const child = spawn(command, args, { stdio: ["ignore", "inherit", "inherit"], env: { ...process.env, ...env } });
    child.once("error", () => done(1));
    child.once("close", (code) => done(code ?? 1));
  });
}

function count({ passed, failed, tests }, code) {
  total.passed += passed;
  // A stage that fails without a failed test (a crash, a file that does not load) counts as one failure.
  total.failed += failed === 0 && code !== 0 ? 1 : failed;
  total.tests.push(...tests);
}

const noTests = { passed: 0, failed: 0, tests: [] };

async function vitest(env = {}) {
  const file = join(resultDirectory, "vitest.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const code = await run(process.execPath, [join("node_modules", "vitest", "vitest.mjs"), "run", ...reporters], env);
  count(readVitest(file), code);
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
    await run("apt-get", ["update", "-qq"], quiet);
    await run(
      "apt-get",
      ["install", "-y", "-qq", "--no-install-recommends", "chromium-headless-shell", "fonts-noto-cjk"],
      quiet,
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

async function e2e() {
  const browser = await findBrowser();
  const file = join(resultDirectory, "playwright.json");
  const args = [join("node_modules", "@playwright", "test", "cli.js"), "test", "--config", "e2e/playwright.config.ts"];
  const code = await run(process.execPath, [...args, "--reporter=list,json"], {
    PLAYWRIGHT_JSON_OUTPUT_NAME: join(process.cwd(), file),
    ...(browser ? { CHROMIUM_PATH: browser } : {}),
  });
  count(readPlaywright(file), code);
}

const runners = {
  verify: async () => count(noTests, await run(process.execPath, [join("scripts", "verify.mjs")])),
  vitest: () => vitest(),
  // Only the tests whose result may depend on the PostgreSQL version; tests/projects.ts selects the files.
  sql: () => vitest({ WEIR_TEST_ONLY_SQL: "1" }),
  build: async () => ensureBuilt(),
  e2e,
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
for (const stage of chosen) {
  say(`── ${stage}`);
  const before = total.failed;
  const from = performance.now();
  try {
    await runners[stage]();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    count(noTests, 1);
  }
  const seconds = Math.round((performance.now() - from) / 1000);
  times.push(`${stage} ${seconds} s`);
  say(`── ${stage}: ${total.failed === before ? "passed" : "FAILED"} after ${seconds} s`);
}
printSlowest(total.tests);
console.log(`\n${times.join(", ")}`);
printFlaky(total.tests);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);
