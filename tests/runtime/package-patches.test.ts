import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createRunFolder } from "@/lib/testing/run-folder";
// @ts-expect-error: scripts run before anything is installed, so they are plain JavaScript
import { findUnpatchedFiles } from "@/scripts/steps.mjs";

const sources = ["cjs/src/connection.js", "cjs/src/index.js", "src/connection.js", "src/index.js"].map(
  (file) => `node_modules/postgres/${file}`,
);
const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
const [command, ...flags] = scripts.postinstall.split(" ");

let root = "";
beforeEach(() => {
  root = createRunFolder("patches");
  for (const path of ["package.json", "package-lock.json", "patches", "node_modules/postgres"]) {
    cpSync(path, join(root, path), { recursive: true });
  }
});
afterEach(() => rmSync(root, { recursive: true }));

function patchPackages(...more: string[]) {
  const file = join(process.cwd(), "node_modules", command, "index.js");
  return spawnSync(process.execPath, [file, ...flags, ...more], { cwd: root, encoding: "utf8" });
}

test("the packages of this installation are repaired", () => {
  expect(findUnpatchedFiles()).toEqual([]);
});

test("packages that were installed without scripts are found, and repaired by what an install runs", () => {
  expect(patchPackages("--reverse").status).toBe(0);
  expect(findUnpatchedFiles(root)).toEqual(sources);
  expect(patchPackages().status).toBe(0);
  expect(findUnpatchedFiles(root)).toEqual([]);
  expect(patchPackages().status).toBe(0);
});

test("an install fails when a patch was made for another version, even where it fits", () => {
  const manifest = join(root, "node_modules/postgres/package.json");
  writeFileSync(manifest, readFileSync(manifest, "utf8").replace('"version": "3.4.9"', '"version": "3.4.10"'));
  const run = patchPackages();
  expect(run.stdout).toContain("version mismatch");
  expect(run.status).toBe(1);
});

test("an install fails when a patch does not fit", () => {
  writeFileSync(join(root, sources[0] ?? ""), "export default 1\n");
  expect(findUnpatchedFiles(root)).toEqual([sources[0]]);
  expect(patchPackages().status).toBe(1);
});
