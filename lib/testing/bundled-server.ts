import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
// @ts-expect-error: scripts run before anything is installed, so they are plain JavaScript
import { bundleServer } from "@/scripts/bundle.mjs";
import { createBundleFolder } from "./run-folder";

/**
 * The entries of server/ as `npm start` runs them, for a test file that starts processes: such a process starts in a
 * third of the CPU time of one from source. Returns the path of an entry; call it after beforeAll.
 */
export function setUpBundle(names: string[]): (name: string) => string {
  const outdir = createBundleFolder("bundle");
  beforeAll(() => bundleServer({ names, outdir }), 120_000);
  afterAll(() => rmSync(outdir, { recursive: true, force: true }));
  return (name) => join(outdir, `${name}.js`);
}
