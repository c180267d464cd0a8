import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { checkNode, ensureBuilt, ensureBundled, ensureInstalled, say } from "./steps.mjs";

const usage = "node scripts/run.mjs demo | start | dev | build | reconcile | bench | bench-lists";
const [command = "", ...rest] = process.argv.slice(2);
process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));

function production() {
  process.env.NODE_ENV = "production";
  process.env.NEXT_TELEMETRY_DISABLED = "1";
}

/** Runs the built entry in this process: one process less, and each signal arrives only once. */
async function runBuilt(outdir, entry) {
  await import(pathToFileURL(join(outdir, `${entry}.js`)).href);
}

function runChild(args, env = {}) {
  const child = spawn(process.execPath, args, { stdio: "inherit", env: { ...process.env, ...env } });
  // On Ctrl-C the terminal signals the child directly.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  child.once("exit", (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
}

const commands = {
  async demo() {
    await ensureInstalled();
    await ensureBuilt();
    production();
    if (process.env.DATABASE_URL) say("the demo uses its own database; DATABASE_URL is left alone");
    delete process.env.DATABASE_URL;
    process.env.WEIR_DATA_DIR ||= join(".data", "demo");
    process.env.WEIR_LOG_LEVEL ||= "warn";
    process.env.WEIR_DEMO = "1";
    await runBuilt("dist", "main");
  },
  async start() {
    await ensureInstalled();
    await ensureBuilt();
    production();
    await runBuilt("dist", "main");
  },
  async dev() {
    await ensureInstalled();
    runChild(["--import", "tsx", join("server", "main.ts"), ...rest], {
      NODE_ENV: "development",
      NEXT_TELEMETRY_DISABLED: "1",
    });
  },
  async build() {
    await ensureInstalled();
    await ensureBuilt({ force: !rest.includes("--if-changed") });
  },
  async reconcile() {
    await ensureInstalled();
    // Not in dist/, which a running Weir may be using.
    const outdir = join("node_modules", ".cache", "weir-reconcile");
    await ensureBundled({ names: ["reconcile"], outdir });
    production();
    await runBuilt(outdir, "reconcile");
  },
  async bench() {
    await ensureInstalled();
    if (!process.env.BENCH_GATEWAY) {
      // Not in dist/, which a running Weir may be using.
      const outdir = join("node_modules", ".cache", "weir-bench");
      await ensureBundled({ names: ["gateway"], outdir });
      process.env.BENCH_GATEWAY = join(outdir, "gateway.js");
    }
    runChild(["--import", "tsx", join("bench", "run.ts"), ...rest]);
  },
  async "bench-lists"() {
    await ensureInstalled();
    runChild(["--import", "tsx", join("bench", "lists.ts"), ...rest]);
  },
};

try {
  checkNode();
  if (existsSync(".env")) process.loadEnvFile(".env");
  const run = commands[command];
  if (!run) throw new Error(`Usage: ${usage}`);
  await run();
} catch (error) {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
