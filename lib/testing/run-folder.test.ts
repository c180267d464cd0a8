import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { createBundleFolder, createRunFolder, removeLeftovers } from "./run-folder";

/** As a folder of this process is named, without the process id. */
function prefix(): string {
  const folder = createRunFolder("prefix");
  rmSync(folder, { recursive: true });
  return basename(folder).slice(0, -`${process.pid}-prefix-abcdef`.length);
}

test("the folders of a run that is over are removed, and no others", () => {
  const parent = createRunFolder("leftovers");
  try {
    const { pid } = spawnSync(process.execPath, ["--version"]);
    const own = prefix();
    const ended = [`${own}${pid}-journal-abc`, `.${own}${pid}-bundle-abc`];
    const ofAnotherContainer = `weir-test-in1-${pid}-journal-abc`;
    const others = [`${own}${process.pid}-journal-abc`, `${own}x-${pid}`, `other-${pid}-abc`, ofAnotherContainer];
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
    expect(folder).toMatch(new RegExp(`/\\.?weir-test-in\\d+-${process.pid}-named-\\w+$`));
    rmSync(folder, { recursive: true });
  }
});
