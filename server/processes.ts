import { type ChildProcess, fork } from "node:child_process";
import cluster from "node:cluster";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { keepConnections } from "./cluster-connections";
import { type ToChild, typeOf } from "./messages";

/** One process. */
export type Handle = {
  process: ChildProcess;
  startedAt: number;
  /** False = it ended before. */
  ready: Promise<boolean>;
  /** How it ended. */
  ended: Promise<string>;
  onMessage: (listener: (message: unknown) => void) => void;
  tell: (message: ToChild) => void;
  kill: (signal: NodeJS.Signals) => void;
};

/** Path of another process's entry file, with the extension of this file: .ts in development, .js in a build. */
function entry(name: string): string {
  const self = fileURLToPath(import.meta.url);
  return fileURLToPath(new URL(`./${name}${extname(self)}`, import.meta.url));
}

export type Start = {
  env: NodeJS.ProcessEnv;
  flags: readonly string[];
  /** While the process holds it, the built-in database runs, also when the supervisor has been killed. */
  lifeline: number | null;
};

function filesOf(lifeline: number | null): ("inherit" | "ipc" | number)[] {
  return ["inherit", "inherit", "inherit", "ipc", ...(lifeline === null ? [] : [lifeline])];
}

export function forkProcess(name: string, { env, flags, lifeline }: Start): Handle {
  // Detached: Ctrl-C in the terminal reaches only the supervisor, which stops its children in order.
  const execArgv = [...process.execArgv, ...flags];
  return handleOf(fork(entry(name), { env, detached: true, execArgv, stdio: filesOf(lifeline) }));
}

/** It shares its listening ports with all others that are started so. */
export function forkClustered(name: string, { env, flags, lifeline }: Start): Handle {
  const execArgv = [...process.execArgv, ...flags];
  cluster.setupPrimary({ exec: entry(name), execArgv, stdio: filesOf(lifeline) });
  const child = cluster.fork(env).process;
  keepConnections(child);
  return handleOf(child);
}

function handleOf(child: ChildProcess): Handle {
  // What is told to a process that has just ended is lost; its end is seen elsewhere.
  child.on("error", () => {});
  const ended = new Promise<string>((done) => {
    child.once("exit", (code, signal) => done(signal ?? `code ${code}`));
  });
  const ready = new Promise<boolean>((done) => {
    child.on("message", (message) => typeOf(message) === "ready" && done(true));
    child.once("exit", () => done(false));
  });
  return {
    process: child,
    startedAt: Date.now(),
    ready,
    ended,
    onMessage: (listener) => void child.on("message", listener),
    tell: (message) => void (child.connected && child.send(message, () => {})),
    kill: (signal) => void child.kill(signal),
  };
}
