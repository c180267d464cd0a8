import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build, stop } from "esbuild";

const entries = ["main", "gateway", "console", "worker", "fake-upstream"];

/** Bundles entries of server/, because Node 20 cannot run TypeScript. Packages are not bundled. */
export async function bundleServer({ names = entries, outdir = "dist" } = {}) {
  rmSync(outdir, { recursive: true, force: true });
  await bundle(names, outdir);
  // Loaded by URL, so it lies beside the chunks.
  copyFileSync(join("lib", "relay", "tokens", "count-thread.mjs"), join(outdir, "count-thread.mjs"));
  // esbuild's own process would otherwise run as long as this one, and outlive it.
  await stop();
}

function bundle(names, outdir) {
  return build({
    entryPoints: names.map((name) => `server/${name}.ts`),
    outdir,
    bundle: true,
    splitting: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node20",
    sourcemap: true,
    logLevel: "warning",
  });
}
