import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

export type WeirProcess = {
  pid: number;
  output: () => string;
  /** Resolves with the first match in a line of output; rejects when the process exits or after 200 s. */
  waitFor: (pattern: RegExp) => Promise<RegExpExecArray>;
  signal: (signal: NodeJS.Signals) => void;
  ended: Promise<number | null>;
};

/** Runs the whole supervisor: from source, as `npm run dev` does, or from a bundle. */
export function startWeir(env: Record<string, string>, main: string, ...words: string[]): WeirProcess {
  const { DATABASE_URL: _url, WEIR_SECRET: _secret, ...inherited } = process.env;
  const args = [...(extname(main) === ".ts" ? ["--import", "tsx"] : []), main, ...words];
  const child: ChildProcess = spawn(process.execPath, args, {
    env: { ...inherited, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const collect = (data: Buffer): void => {
    output += data.toString();
  };
  child.stdout?.on("data", collect);
  child.stderr?.on("data", collect);
  const ended = new Promise<number | null>((done) => child.once("exit", (code) => done(code)));
  return {
    pid: child.pid ?? 0,
    output: () => output,
    signal: (signal) => void child.kill(signal),
    ended,
    async waitFor(pattern) {
      for (const deadline = Date.now() + 200_000; Date.now() < deadline; await delay(50)) {
        const found = pattern.exec(output);
        if (found) return found;
        if (child.exitCode !== null) break;
      }
      throw new Error(`${pattern} did not appear in:\n${output}`);
    },
  };
}

/** Polls until the condition holds; fails after `timeoutMs`. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 30_000,
): Promise<void> {
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await delay(50)) {
    if (await condition()) return;
  }
  throw new Error(`not within ${timeoutMs} ms: ${what}`);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A killed process stays a zombie in the process table until its parent reaps it.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/** The direct children of a process; of one that ends meanwhile the command is empty. */
export function childrenOf(parent: number): { pid: number; command: string }[] {
  const list = readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8").trim();
  if (list === "") return [];
  return list.split(" ").map((pid) => ({
    pid: Number(pid),
    command: commandOf(pid),
  }));
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}

export function databaseUrl(dataDirectory: string): string {
  const read = (name: string): string => readFileSync(join(dataDirectory, "postgres", name), "utf8").trim();
  return `postgres://weir:${read("password")}@127.0.0.1:${read("port")}/postgres`;
}
