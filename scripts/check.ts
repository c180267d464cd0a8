// What a small change needs before it is committed (CONTRIBUTING.md says how long it takes):
//   npm run check                   of what is not committed; where there is nothing, of the last commit
//   npm run check -- --since=main   of everything since a commit
// The quick parts of verify; the tests that reach what changed, the nearest of those that vitest's own --changed finds; the
// specs of the screens that show it. What is left out is counted: npm test runs everything.
import { execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { findTouched, type Touched } from "./touched";

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const { values } = parseArgs({ options: { since: { type: "string" } } });

const git = (...args: string[]) =>
  execFileSync("git", args, { encoding: "utf8", maxBuffer: 64 * 1_048_576 })
    .split("\0")
    .filter(Boolean);
const changedSince = (commit: string) => [
  ...git("diff", "--name-only", "-z", commit),
  ...git("ls-files", "--others", "--exclude-standard", "-z"),
];
const since = values.since ?? (changedSince("HEAD").length > 0 ? "HEAD" : "HEAD~1");

const startedAt = performance.now();
const secondsFrom = (from: number) => `${Math.round((performance.now() - from) / 1_000)} s`;
const say = (text: string) => process.stdout.write(`${text}\n`);

/** True when the program ends well; else its output is printed. */
function run(title: string, args: string[], env: Record<string, string> = {}): Promise<boolean> {
  const from = performance.now();
  return new Promise((done) => {
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } });
    let output = "";
    const collect = (data: Buffer) => {
      output += data.toString();
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    child.once("close", (code) => {
      say(`${title}: ${code === 0 ? "passed" : "FAILED"} after ${secondsFrom(from)}`);
      if (code !== 0) say(output.trim().slice(-12_000));
      done(code === 0);
    });
  });
}

const CRAWL = "e2e/every-screen.spec.ts";

async function runSpecs({ routes, specs }: Touched): Promise<boolean> {
  if (routes.length + specs.length === 0) return true;
  if (!(await run("build", [join("bin", "weir.mjs"), "build", "--if-changed"]))) return false;
  // A crawl that has changed itself looks at every screen.
  const isLimited = routes.length > 0 && !specs.includes(CRAWL);
  const words = ["test", "--config", "e2e/playwright.config.ts", "--pass-with-no-tests", ...specs];
  return run(
    "specs",
    [join("node_modules", "@playwright", "test", "cli.js"), ...words, ...(isLimited ? [CRAWL] : [])],
    isLimited ? { WEIR_E2E_ROUTES: routes.join(" ") } : {},
  );
}

function runTests({ tests }: Touched): Promise<boolean> | true {
  if (tests.length === 0) return true;
  return run("tests", [join("node_modules", "vitest", "vitest.mjs"), "run", `--changed=${since}`, ...tests]);
}

const changed = [...new Set(changedSince(since))];
const touched = await findTouched(git("ls-files", "-co", "--exclude-standard", "-z").filter(existsSync), changed);
const { tests, routes, specs, of } = touched;
say(`${changed.length} files changed since ${since}`);
say(`tests that reach them: ${tests.length} of ${of.tests} files, the nearest`);
say(`screens: ${routes.join(" ") || "none"}, of ${of.screens}`);
say(`specs: ${specs.map((spec) => spec.slice("e2e/".length, -".spec.ts".length)).join(" ") || "none"}, of ${of.specs}`);

// Verify and the build both write types into .next, so they run one after the other.
const passed = await Promise.all([
  run("verify, the quick parts", [join("scripts", "verify.mjs"), "--quick"]).then(
    async (isRight) => (await runSpecs(touched)) && isRight,
  ),
  runTests(touched),
]);
say(`all: ${secondsFrom(startedAt)}`);
process.exitCode = passed.every(Boolean) ? 0 : 1;
