import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";

// Runs the static checks in parallel. They need no database. `--quick` leaves out those that read every module.

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
process.env.NEXT_TELEMETRY_DISABLED = "1";

const bin = (name, file) => join("node_modules", name, file);
/** The native compiler: a third of the time. Next.js, knip and dependency-cruiser need the one with a JavaScript API. */
const compiler = bin("typescript-native", "bin/tsc");

function run(args) {
  return new Promise((done) => {
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (data) => (output += data));
    child.stderr.on("data", (data) => (output += data));
    child.once("close", (code) => done({ code, output }));
  });
}

async function typecheck() {
  // Route and message types are generated. Without them every typed link is an error.
  const types = await run([bin("next", "dist/bin/next"), "typegen"]);
  if (types.code !== 0) return types;
  return run([compiler, "--noEmit"]);
}

/** Older versions have known security holes; the lock file must not bring them back. */
async function checkVersions() {
  const floors = { next: "16.2.6", react: "19.2.6", "react-dom": "19.2.6" };
  const low = Object.entries(floors).flatMap(([name, floor]) => {
    const { version } = JSON.parse(readFileSync(join("node_modules", name, "package.json"), "utf8"));
    return version.localeCompare(floor, "en", { numeric: true }) < 0 ? [`${name} ${version} is below ${floor}`] : [];
  });
  return { code: low.length, output: low.join("\n") };
}

/** What npm installs must be what was locked. Only builds for other platforms may lack a checksum. */
async function checkLock() {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"));
  const bare = Object.entries(packages).filter(([path, entry]) => path !== "" && !entry.integrity && !entry.link);
  const wrong = bare.filter(([, { optional, os, cpu, version }]) => !optional || !(os || cpu) || !/^\d/.test(version));
  return { code: wrong.length, output: wrong.map(([path]) => `${path} has no integrity`).join("\n") };
}

const checks = {
  "format and lint (biome)": () => run([bin("@biomejs/biome", "bin/biome"), "check", "--max-diagnostics=50"]),
  "types (tsc)": typecheck,
  // Compiles the dialects without the types of Node and the DOM, so that they cannot use I/O.
  "pure dialects (tsc)": () => run([compiler, "-p", join("lib", "relay", "wire", "dialects")]),
  "boundaries (dependency-cruiser)": () => run(["scripts/check-boundaries.mjs"]),
  "what pages load of the relay": () => run([join("scripts", "check-imports.mjs")]),
  "unused code (knip)": () => run([bin("knip", "bin/knip.js"), "--no-config-hints"]),
  "requirements and citations": () => run([join("scripts", "coverage.mjs"), "--check"]),
  "paths in documents": () => run([join("scripts", "doc-paths.mjs")]),
  "channel types by number": () => run(["--import", "tsx", join("scripts", "check-channel-types.ts")]),
  "migrations that let others go on": () => run(["--import", "tsx", join("scripts", "check-migrations.ts")]),
  "security floor": checkVersions,
  "known advisories": () => run(["--import", "tsx", join("scripts", "advisories.ts")]),
  "checksums of the lock file": checkLock,
};

const SLOW = ["boundaries (dependency-cruiser)", "unused code (knip)"];
const chosen = Object.entries(checks).filter(([title]) => !process.argv.includes("--quick") || !SLOW.includes(title));

const startedAt = performance.now();
const seconds = () => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
const results = await Promise.all(
  chosen.map(async ([title, check]) => {
    const result = await check();
    console.log(`${result.code === 0 ? "passed" : "FAILED"}  ${title}  ${seconds()}`);
    return { title, ...result };
  }),
);
console.log(`all checks, side by side: ${seconds()}`);
const failed = results.filter((result) => result.code !== 0);
for (const { title, output } of failed) console.log(`\n--- ${title}\n${output.trim().slice(-12_000)}`);
process.exitCode = failed.length === 0 ? 0 : 1;
