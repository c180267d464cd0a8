import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { childrenOf } from "../runtime/weir-process";

export type Program = {
  pid: number;
  output: () => string;
  hasEnded: () => boolean;
  /** It, and what it has started, by SIGKILL. */
  kill: () => Promise<void>;
};

type Settings = { env?: Record<string, string>; cwd?: string; uid?: number; gid?: number };

/** Starts a program of the system and keeps the end of what it prints. */
export function startProgram(command: string, args: string[], settings: Settings = {}): Program {
  const { env = {}, cwd = "/", ...owner } = settings;
  const child = spawn(command, args, {
    ...owner,
    cwd,
    env: { NODE_ENV: "production", PATH: process.env.PATH, LANG: "C.UTF-8", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (part: Buffer) => {
      output = (output + part.toString()).slice(-20_000);
    });
  }
  child.once("error", (error) => {
    output += error.message;
  });
  return {
    pid: child.pid ?? 0,
    output: () => output,
    hasEnded: () => hasEnded(child),
    async kill() {
      if (hasEnded(child)) return;
      for (const { pid } of familyOf(child.pid ?? 0)) killHard(pid);
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** All processes below this one. */
export function familyOf(parent: number): { pid: number; command: string }[] {
  let children: { pid: number; command: string }[] = [];
  try {
    children = childrenOf(parent);
  } catch {
    // It has ended.
  }
  return children.flatMap((child) => [child, ...familyOf(child.pid)]);
}

export function killHard(pid: number): void {
  try {
    if (pid > 1) process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
