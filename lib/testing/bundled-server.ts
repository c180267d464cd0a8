import { cpSync, existsSync, mkdirSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
// @ts-expect-error: scripts run before anything is installed, so they are plain JavaScript
import { bundleServer } from "@/scripts/bundle.mjs";
import { createBundleFolder } from "./run-folder";
import { until } from "./until";

const SHARED = ["main", "gateway", "console", "worker"];
const LIMIT_MS = 120_000;

/**
 * The entries of server/ as `npm start` runs them, for a test file that starts processes: such a process starts in a
 * third of the CPU time of one from source. Returns the path of an entry; call it after beforeAll. The processes are
 * bundled once per run, which takes seconds of CPU time, and anything else for its file. `isChanged`: the file writes into
 * its bundle, so it gets a copy.
 */
export function setUpBundle(names: string[], { isChanged = false } = {}): (name: string) => string {
  const given = process.env.WEIR_TEST_BUNDLE;
  const shared = given && names.every((name) => SHARED.includes(name)) ? given : null;
  if (shared && !isChanged) {
    beforeAll(() => bundleOnce(shared), LIMIT_MS);
    return (name) => join(shared, "server", `${name}.js`);
  }
  const outdir = createBundleFolder("bundle");
  beforeAll(async () => {
    if (!shared) return bundleServer({ names, outdir });
    await bundleOnce(shared);
    cpSync(join(shared, "server"), outdir, { recursive: true });
  }, LIMIT_MS);
  afterAll(() => rmSync(outdir, { recursive: true, force: true }));
  return (name) => join(outdir, `${name}.js`);
}

/** The first file that comes bundles, the others wait for it; where it fails, the next one tries. */
export async function bundleOnce(folder: string, bundle: typeof bundleServer = bundleServer): Promise<void> {
  const [made, lock] = [join(folder, "made"), join(folder, "being-made")];
  await until(() => existsSync(made) || take(lock), LIMIT_MS);
  if (existsSync(made)) return;
  try {
    await bundle({ names: SHARED, outdir: join(folder, "server") });
    writeFileSync(made, "");
  } finally {
    rmdirSync(lock);
  }
}

/** Making a folder either succeeds for one process or says that another was first. */
function take(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
