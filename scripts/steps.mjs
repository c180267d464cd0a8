import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { precompress } from "./precompress.mjs";

// Uses only Node's own modules: this runs before any package is installed.

const startedAt = performance.now();
const seconds = (from) => `${((performance.now() - from) / 1000).toFixed(1)} s`;

export function say(message) {
  process.stdout.write(`[${seconds(startedAt).padStart(7)}] ${message}\n`);
}

export class StepFailed extends Error {
  constructor(title, output, advice) {
    super(`${title} failed.\n\n${output.trim().split("\n").slice(-40).join("\n")}\n\nWhat to do: ${advice}`);
  }
}

export function checkNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new Error(
    `Weir needs Node.js 24 (LTS), or another one from 20.19 on; this is ${process.versions.node}. Get it from https://nodejs.org`,
  );
}

/** Runs a command quietly: prints a sign of life every few seconds, and the command's output only if it fails. */
export function runStep({ title, command, args, advice, env = {} }) {
  const from = performance.now();
  say(`${title} …`);
  return new Promise((done, fail) => {
    const child = spawn(command, args, {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      shell: process.platform === "win32",
    });
    const endWithThis = () => child.kill();
    process.once("exit", endWithThis);
    let output = "";
    const collect = (data) => {
      output = (output + data).slice(-200_000);
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    const ticker = setInterval(() => say(`${title}: still at it, ${seconds(from)}`), 10_000);
    child.once("error", (error) => collect(error.message));
    child.once("close", (code) => {
      clearInterval(ticker);
      process.off("exit", endWithThis);
      if (code !== 0) return fail(new StepFailed(title, output, advice));
      say(`${title}: done in ${seconds(from)}`);
      done();
    });
  });
}

/** Whether node_modules matches the lock file for this platform. */
function isInstalled() {
  const installedLock = join("node_modules", ".package-lock.json");
  if (!existsSync(installedLock)) return false;
  const wanted = JSON.parse(readFileSync("package-lock.json", "utf8")).packages;
  const installed = JSON.parse(readFileSync(installedLock, "utf8")).packages;
  return Object.entries(wanted).every(
    ([path, entry]) =>
      path === "" ||
      (entry.optional && !installed[path]) ||
      (entry.devOptional && !installed[path]) ||
      (entry.peer && !installed[path]) ||
      installed[path]?.version === entry.version,
  );
}

const seal = join("dist", "sealed");

/** Whether the program is complete and read-only, as in a container's image: then nothing is looked for or made. */
const isSealed = () => existsSync(seal);

/** Packages for development may be removed afterwards. */
export function sealBuild(folder = ".") {
  writeFileSync(join(folder, seal), "");
}

export async function ensureInstalled() {
  if (isSealed()) return;
  if (!isInstalled()) await installPackages();
  if (findUnpatchedFiles().length > 0) await patchPackages();
}

/** An install with scripts disabled does not apply the patches. */
async function patchPackages() {
  await runStep({
    title: "repairing packages (patches/README.md)",
    command: "npm",
    args: ["run", "postinstall"],
    advice:
      "run npm ci as the owner of node_modules. Without these repairs a lost database connection can end the process, so nothing was started.",
  });
}

async function installPackages() {
  await runStep({
    title: "installing packages from package-lock.json (about a minute)",
    command: "npm",
    args: ["ci", "--include=dev", "--no-audit", "--no-fund"],
    advice:
      "check the network and the npm registry (npm ping), then run the same command again. Behind a proxy: npm config set proxy …",
  });
}

const sources = [
  "app",
  "components",
  "db",
  "lib",
  "messages",
  "public",
  "server",
  "tools/import",
  "scripts/bundle.mjs",
  "scripts/steps.mjs",
  "scripts/precompress.mjs",
  "proxy.ts",
  "instrumentation.ts",
  "next.config.ts",
  "postcss.config.mjs",
  "tailwind.config.ts",
  "tsconfig.json",
  "package-lock.json",
];

function* filesOf(path) {
  const state = statSync(path, { throwIfNoEntry: false });
  if (state?.isFile()) yield path;
  if (!state?.isDirectory()) return;
  for (const name of readdirSync(path).sort()) yield* filesOf(join(path, name));
}

function sourceHash() {
  const hash = createHash("sha256");
  for (const source of sources) {
    for (const file of filesOf(source)) {
      if (/\.test\.tsx?$|\.d\.json\.ts$/.test(file)) continue;
      hash.update(file).update("\0").update(readFileSync(file)).update("\0");
    }
  }
  return hash.digest("hex");
}

const marker = join("dist", "source-hash");

/** Builds server and console if their sources have changed since the last build. */
export async function ensureBuilt({ force = false } = {}) {
  if (isSealed()) return;
  const hash = sourceHash();
  const built = existsSync(marker) && existsSync(join(".next", "BUILD_ID")) && readFileSync(marker, "utf8") === hash;
  if (built && !force) return;
  await ensureBundled();
  await runStep({
    title: "building the console (about half a minute)",
    command: process.execPath,
    args: [join("node_modules", "next", "dist", "bin", "next"), "build"],
    env: { NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" },
    advice: "if you changed sources, npm run typecheck shows what is wrong; else delete .next and run the same again.",
  });
  addCompileHints(join(".next", "static", "chunks"));
  await precompress(join(".next", "static"));
  writeFileSync(marker, hash);
}

/** The folder with the built server/commands: of the last build, or bundled now if its sources have changed since. */
export async function ensureCommands() {
  if (isSealed()) return join("dist", "commands");
  const hash = sourceHash();
  if (existsSync(marker) && readFileSync(marker, "utf8") === hash) return join("dist", "commands");
  const cache = join("node_modules", ".cache");
  const folder = join(cache, `weir-commands-${hash.slice(0, 16)}`);
  if (existsSync(folder)) return folder;
  assertMayWrite(cache);
  // Not in dist/, which a running Weir may be using. Renamed when complete: another command may be doing the same.
  const partial = `${folder}.${process.pid}`;
  const { bundleServer, commandNames } = await import("./bundle.mjs");
  await bundleServer({ names: commandNames(), outdir: partial });
  removeOldCommands(cache);
  try {
    renameSync(partial, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(partial, { recursive: true });
  }
  return folder;
}

/** The commands are made at their first use after a change. */
function assertMayWrite(folder) {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
  } catch {
    throw new Error(
      `This version is not built yet, and this account may not write into ${resolve(folder)}. Run the same as the owner of that folder, or let the owner run: node bin/weir.mjs build`,
    );
  }
}

/** A day later no command of older sources is still running. */
function removeOldCommands(cache) {
  for (const name of readdirSync(cache).filter((entry) => entry.startsWith("weir-commands-"))) {
    const path = join(cache, name);
    const changedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - changedAt > 86_400_000) rmSync(path, { recursive: true, force: true });
  }
}

/** Bundles only the processes of server/; takes well under a second. */
export async function ensureBundled(options = {}) {
  const { bundleServer } = await import("./bundle.mjs");
  await bundleServer(options);
}

// Uses only Node's own modules, like steps.mjs.

/** The path and expected lines of every place that a patch changes. */
function* changesOf(patch) {
  let file = "";
  let lines = null;
  for (const line of patch.split("\n")) {
    if (line.startsWith("@@") || line.startsWith("diff --git")) {
      if (lines) yield { file, text: lines.join("\n") };
      lines = line.startsWith("@@") ? [] : null;
    } else if (lines === null) {
      if (line.startsWith("+++ b/")) file = line.slice("+++ b/".length);
    } else if (line.startsWith("+") || line.startsWith(" ")) lines.push(line.slice(1));
  }
  if (lines) yield { file, text: lines.join("\n") };
}

/**
 * Files of node_modules that lack a change from patches/. Runs at every start, possibly under an account that can only
 * read the packages, so it writes nothing and starts no process.
 */
export function findUnpatchedFiles(root = ".") {
  const unpatched = new Set();
  for (const name of readdirSync(join(root, "patches")).filter((entry) => entry.endsWith(".patch"))) {
    for (const { file, text } of changesOf(readFileSync(join(root, "patches", name), "utf8"))) {
      if (!readFileSync(join(root, file), "utf8").includes(text)) unpatched.add(file);
    }
  }
  return [...unpatched];
}

/**
 * V8 compiles the functions of a file that begins with this line when it loads the file, and keeps them in the browser's
 * code cache. Without it, the cache has no function that runs after the file was read; a page compiles some 800 of
 * them again on every visit. https://v8.dev/blog/explicit-compile-hints
 */
const hint = "//# allFunctionsCalledOnLoad\n";

/** Adds the hint to every script of a folder that has none. */
function addCompileHints(directory) {
  for (const name of readdirSync(directory)) {
    if (!name.endsWith(".js")) continue;
    const file = join(directory, name);
    const text = readFileSync(file, "utf8");
    if (!text.startsWith(hint)) writeFileSync(file, hint + text);
  }
}
