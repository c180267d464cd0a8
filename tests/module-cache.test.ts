import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { moduleCache } from "./module-cache";

let root = "";
const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "weir-module-cache-"));
  made.push(root);
  mkdirSync(join(root, "lib", "one"), { recursive: true });
  writeFileSync(join(root, "lib", "one.ts"), "1");
  writeFileSync(join(root, "package.json"), "{}");
});

test("translated modules are kept as long as the list of files is the same", () => {
  const before = moduleCache(root);
  writeFileSync(join(root, "lib", "one.ts"), "2");
  writeFileSync(join(root, "lib", "notes.md"), "");
  mkdirSync(join(root, "dist"));
  writeFileSync(join(root, "dist", "main.js"), "");
  expect(moduleCache(root)).toBe(before);
});

test("a file that is added, moved or deleted begins anew: an import may mean another one now", () => {
  const seen = new Set([moduleCache(root)]);
  writeFileSync(join(root, "lib", "two.tsx"), "");
  seen.add(moduleCache(root));
  renameSync(join(root, "lib", "one.ts"), join(root, "lib", "one", "index.ts"));
  seen.add(moduleCache(root));
  rmSync(join(root, "lib", "two.tsx"));
  seen.add(moduleCache(root));
  expect(seen.size).toBe(4);
});

test("what was kept of another list is removed after a day, and nothing else", () => {
  const current = moduleCache(root);
  const parent = join(root, "node_modules", ".cache");
  const yesterday = new Date(Date.now() - 90_000_000);
  for (const name of [basename(current), "weir-test-modules-old", "weir-test-modules-new", "other"]) {
    mkdirSync(join(parent, name));
    if (name !== "weir-test-modules-new") utimesSync(join(parent, name), yesterday, yesterday);
  }
  moduleCache(root);
  expect(readdirSync(parent).sort()).toEqual(["other", basename(current), "weir-test-modules-new"].sort());
});
