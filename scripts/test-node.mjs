import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { ensureBuilt, ensureInstalled, say } from "./steps.mjs";
import { printFailed, printFlaky, readVitest } from "./test-report.mjs";

// Runs on another Node.js what depends on it: `node scripts/test-node.mjs [MAJOR]`. Its binary comes from npm, into a
// temporary folder. The last line is `N passed, N failed`.

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const newestLts = "24";
const [major = newestLts] = process.argv.slice(2);
const runs = [
  // What computes: all of the library (encodings, parsers, cryptography, streams) and the simulation, with as many random
  // cases as npm test has no time for.
  [
    "library",
    ["--project", "pure", "--project", "simulation"],
    { WEIR_PROPERTY_RUNS: "all", WEIR_SIMULATIONS: "10000" },
  ],
  // What Node.js does for us: processes and their signals, threads, bundles, files, sockets, HTTP, streams, decompression. Not
  // what is about PostgreSQL or the books behind it: kill -9 of everything, archives, backups and keys, which no Node.js changes.
  [
    "system",
    [
      "server/children",
      "server/data-directory",
      "server/embedded-postgres",
      "server/failed-page",
      "server/lifeline",
      "server/metrics/port",
      "server/processes",
      "tests/runtime/bundled-thread",
      "tests/runtime/bundling",
      "tests/runtime/doctor",
      "tests/runtime/package-patches",
      "tests/runtime/replacing",
      "tests/runtime/supervisor",
      "tests/relay/gateway",
      "tests/relay/side/realtime",
      "tests/relay/net/stale-connections",
      "tests/attacks/body-bombs",
      "tests/attacks/idle-connections",
      "tests/attacks/pipelined-requests",
    ],
  ],
  ["built", ["--config", "vitest.operations.config.ts", "tests/operations/built-service"]],
];

/**
 * The package of the platform alone: the package `node` would fetch the same one, in an install script, which not every
 * npm lets run.
 */
function installNode(folder) {
  const name = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const args = ["install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", `${name}@${major}`];
  const { status } = spawnSync("npm", args, {
    stdio: ["ignore", "inherit", "inherit"],
    shell: process.platform === "win32",
  });
  const binary = join(folder, "node_modules", name, "bin", process.platform === "win32" ? "node.exe" : "node");
  const found = status === 0 && existsSync(binary) ? spawnSync(binary, ["--version"], { encoding: "utf8" }) : null;
  if (found?.status === 0) return { binary, version: found.stdout.trim() };
  throw new Error(
    `Node.js ${major} could not be had: npm install ${name}@${major} gave no binary that runs. Nothing was tested on it.`,
  );
}

/** `node` and `npm` in the PATH of a test are the other one, too. */
function runTests({ binary }, [name, args, variables = {}]) {
  const report = join("test-results", `node-${name}.json`);
  rmSync(report, { force: true });
  const from = performance.now();
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const { status } = spawnSync(binary, [join("node_modules", "vitest", "vitest.mjs"), "run", ...args, ...reporters], {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...variables, PATH: `${dirname(binary)}${delimiter}${process.env.PATH}` },
  });
  const { passed, failed, tests } = readVitest(report);
  say(`── ${name}: ${passed} passed, ${failed} failed after ${Math.round((performance.now() - from) / 1000)} s`);
  // A run that ends without a failed test, or found none, counts as one failure.
  return { passed, failed: failed === 0 && (status !== 0 || passed === 0) ? 1 : failed, tests };
}

const total = { passed: 0, failed: 0, tests: [] };
const folder = mkdtempSync(join(tmpdir(), "weir-node-"));
try {
  await ensureInstalled();
  mkdirSync("test-results", { recursive: true });
  const node = installNode(folder);
  say(`with Node.js ${node.version}`);
  await ensureBuilt();
  for (const run of runs) {
    const { passed, failed, tests } = runTests(node, run);
    total.passed += passed;
    total.failed += failed;
    total.tests.push(...tests);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  total.failed += 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
printFlaky(total.tests);
printFailed(total.tests);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);
