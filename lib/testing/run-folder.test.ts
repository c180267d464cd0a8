import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createBundleFolder, createRunFolder, removeLeftovers } from "./run-folder";

test("the folders of a run that is over are removed, and no others", () => {
  const parent = createRunFolder("leftovers");
  try {
    const { pid } = spawnSync(process.execPath, ["--version"]);
    const ended = [`weir-test-${pid}-journal-abc`, `.weir-test-${pid}-bundle-abc`];
    const others = [`weir-test-${process.pid}-journal-abc`, `weir-test-x-${pid}`, `other-${pid}-abc`];
    for (const name of [...ended, ...others]) mkdirSync(join(parent, name, "inside"), { recursive: true });
    removeLeftovers([parent]);
    expect(readdirSync(parent).sort()).toEqual(others.sort());
  } finally {
    rmSync(parent, { recursive: true });
  }
});

test("a run's folders have names that the removal knows", () => {
  for (const create of [createRunFolder, createBundleFolder]) {
    const folder = create("named");
    expect(existsSync(folder)).toBe(true);
    expect(folder).toMatch(new RegExp(`/\\.?weir-test-${process.pid}-named-\\w+$`));
    rmSync(folder, { recursive: true });
  }
});
