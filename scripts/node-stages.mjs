import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { runStep, say } from "./steps.mjs";

// What depends on Node.js, for another Node.js than the one that runs this. Its binary comes from npm, into a temporary folder.

const newestLts = "24";

/** The stages of scripts/test.mjs that run on it, with what vitest is given. */
export const nodeRuns = {
  // What computes: all of the library (encodings, parsers, cryptography, streams) and the simulation, with as many random
  // cases as npm test has no time for. Not what runs in browsers, or reads our own sources.
  "node-library": {
    args: ["--project", "pure", "--project", "simulation", "--exclude", "{components,scripts,tools/bench}/**"],
    env: { WEIR_PROPERTY_RUNS: "all", WEIR_SIMULATIONS: "10000" },
  },
  // What Node.js does for us: processes and their signals, threads, bundles, files, sockets, HTTP, streams, decompression. Not
  // what is about PostgreSQL or the books behind it: kill -9 of everything, archives, backups and keys, which no Node.js changes.
  "node-system": {
    args: [
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
  },
  "node-built": { args: ["--config", "vitest.operations.config.ts", "tests/operations/built-service"] },
};

/**
 * The package of the platform alone: the package `node` would fetch the same one, in an install script, which not every
 * npm lets run.
 */
async function install(major) {
  const folder = mkdtempSync(join(tmpdir(), "weir-node-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const name = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  await runStep({
    title: `installing Node.js ${major}`,
    command: "npm",
    args: ["install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", `${name}@${major}`],
    advice: "check the network and the npm registry (npm ping). Nothing was tested on that version.",
  });
  const binary = join(folder, "node_modules", name, "bin", process.platform === "win32" ? "node.exe" : "node");
  const found = existsSync(binary) ? spawnSync(binary, ["--version"], { encoding: "utf8" }) : null;
  if (found?.status !== 0) throw new Error(`${name}@${major} has no Node.js that runs. Nothing was tested on it.`);
  say(`with Node.js ${found.stdout.trim()}`);
  // `node` and `npm` in the PATH of a test are this one, too.
  return { binary, env: { PATH: `${dirname(binary)}${delimiter}${process.env.PATH}` } };
}

let installed = null;

/** The other Node.js, which is fetched once. */
export function otherNode(major = newestLts) {
  installed ??= install(major);
  return installed;
}
