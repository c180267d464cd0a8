import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { createRunFolder } from "@/lib/testing/run-folder";

type Released = { commit: string; migration: string };

export const released = JSON.parse(readFileSync("db/released.json", "utf8")) as Released;

/**
 * The entries of server/ as they were in the last release (db/released.json), bundled with the packages of today.
 * Returns the path of an entry; call it after beforeAll.
 */
export function setUpReleased(names: string[]): (name: string) => string {
  const folder = createRunFolder("released");
  beforeAll(() => {
    assertCommitPresent();
    mkdirSync(folder, { recursive: true });
    const archive = execFileSync("git", ["archive", released.commit], { maxBuffer: 1 << 30 });
    execFileSync("tar", ["-x", "-C", folder], { input: archive });
    symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
    const script = `import("./scripts/bundle.mjs").then((m) => m.bundleServer({ names: ${JSON.stringify(names)}, outdir: "dist" }))`;
    execFileSync(process.execPath, ["-e", script], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return (name) => join(folder, "dist", `${name}.js`);
}

function assertCommitPresent(): void {
  try {
    execFileSync("git", ["cat-file", "-e", `${released.commit}^{commit}`], { stdio: "ignore" });
  } catch {
    throw new Error(
      `The released version (db/released.json, commit ${released.commit}) is not in this clone. Fetch the history: git fetch --unshallow`,
    );
  }
}
