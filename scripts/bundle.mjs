import { copyFileSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { build, stop } from "esbuild";

const entries = ["main", "gateway", "console", "worker", "fake-upstream"];

/** The commands of bin/ that need the server's code. Apart from the entries, so that both share chunks among themselves only. */
export function commandNames() {
  const files = readdirSync(join("server", "commands"));
  return files.filter((file) => /^[\w-]+\.ts$/.test(file)).map((file) => `commands/${file.slice(0, -3)}`);
}

/** Bundles entries of server/, because Node 20 cannot run TypeScript. Packages are not bundled. */
export async function bundleServer({ names = entries, outdir = "dist" } = {}) {
  rmSync(outdir, { recursive: true, force: true });
  await bundle(names, outdir);
  // Loaded by URL, so it lies beside the chunks.
  copyFileSync(join("lib", "relay", "base", "tokens", "count-thread.mjs"), join(outdir, "count-thread.mjs"));
  if (names === entries) await bundle(commandNames(), join(outdir, "commands"));
  // esbuild's own process would otherwise run as long as this one, and outlive it.
  await stop();
}

function bundle(names, outdir) {
  return build({
    entryPoints: names.map((name) => ({ in: `server/${name}.ts`, out: basename(name) })),
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
