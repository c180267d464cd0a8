import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkNode, ensureInstalled, say } from "./steps.mjs";
import { readVitest } from "./test-report.mjs";

// Runs real applications against the gateway. They are large, so they are installed only here, in a folder of their own
// that no other tool looks into.

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const source = join("tests", "applications");
const folder = ".applications";
const files = ["package.json", "package-lock.json"];
const report = join("test-results", "applications.json");

function isInstalled() {
  const isSame = (file) =>
    existsSync(join(folder, file)) && readFileSync(join(folder, file)).equals(readFileSync(join(source, file)));
  return files.every(isSame) && existsSync(join(folder, "node_modules", ".package-lock.json"));
}

function install() {
  if (isInstalled()) return;
  say("installing the applications (900 MB, once)");
  mkdirSync(folder, { recursive: true });
  for (const file of files) copyFileSync(join(source, file), join(folder, file));
  // Their scripts would only move binaries; nothing of them runs before the tests.
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
  const { status } = spawnSync("npm", args, { cwd: folder, stdio: "inherit", shell: process.platform === "win32" });
  if (status !== 0) throw new Error(`npm ci in ${folder} failed`);
}

try {
  checkNode();
  await ensureInstalled();
  install();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.log("0 passed, 1 failed");
  process.exit(1);
}
mkdirSync(dirname(report), { recursive: true });
const vitest = [join("node_modules", "vitest", "vitest.mjs"), "run", "--config", join(source, "vitest.config.ts")];
const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
const { status } = spawnSync(process.execPath, [...vitest, ...reporters, ...process.argv.slice(2)], {
  stdio: "inherit",
});
const { passed, failed } = readVitest(report);
const failures = failed === 0 && status !== 0 ? 1 : failed;
console.log(`${passed} passed, ${failures} failed`);
process.exit(failures === 0 ? 0 : 1);
