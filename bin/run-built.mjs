import { spawn } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ensureBuilt, ensureCommands, ensureInstalled } from "../scripts/steps.mjs";

export function production() {
  process.env.NODE_ENV = "production";
  process.env.NEXT_TELEMETRY_DISABLED = "1";
}

/**
 * Before the supervisor answers signals itself. As the first process of a container this one would ignore them
 * otherwise, and elsewhere what it has started would go on.
 */
function endOnSignals() {
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ])
    process.once(signal, () => process.exit(code));
}

/** Runs the supervisor in this process: one process less, and each signal arrives only once. */
export async function runSupervisor(prepare = () => {}) {
  endOnSignals();
  await ensureInstalled();
  await ensureBuilt();
  production();
  prepare();
  await import(pathToFileURL(join("dist", "main.js")).href);
}

/** Runs `run(values, positionals)` of server/commands/NAME.ts in this process. Returns its exit code. */
export async function runServerCommand(name, values, positionals) {
  await ensureInstalled();
  const folder = await ensureCommands();
  production();
  const { run } = await import(pathToFileURL(join(folder, `${name}.js`)).href);
  return run(values, positionals);
}

/** Runs TypeScript sources in a process of their own, which gets every signal of this one. */
export function runSource(args, env = {}) {
  const child = spawn(process.execPath, ["--import", "tsx", ...args], {
    stdio: "inherit",
    env: { ...process.env, ...env },
  });
  // On Ctrl-C the terminal signals the child directly.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  child.once("exit", (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
}
