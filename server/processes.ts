import { type ChildProcess, fork, type Serializable } from "node:child_process";
import cluster from "node:cluster";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { type ToChild, typeOf } from "./messages";

/** What node:cluster tells its processes, and they it, beside the messages of the program. */
type Internal = { cmd?: string; act?: string; seq?: number; ack?: number };
type Connection = { close: () => void };
type Send = (message: Serializable, connection?: Connection, ...rest: unknown[]) => boolean;

/** What a process said before its end is read by then. */
const READ_MS = 100;

/**
 * node:cluster forgets a connection which it gave to a process that is killed before it has taken it: the caller would wait for
 * an answer until its own patience ends. This hands such a connection to another process, or closes it where there is none.
 */
export function keepConnections(child: ChildProcess): void {
  const given = new Map<number, Connection>();
  const send = child.send.bind(child) as Send;
  const noting: Send = (message, connection, ...rest) => {
    const { act, seq } = message as Internal;
    if (act === "newconn" && seq !== undefined && connection) given.set(seq, connection);
    return send(message, connection, ...rest);
  };
  child.send = noting as ChildProcess["send"];
  child.on("internalMessage", ({ ack }: Internal) => void (ack !== undefined && given.delete(ack)));
  // "disconnect" does not come while a connection is on its way.
  child.once("exit", () => setTimeout(passOn, READ_MS));
  function passOn(): void {
    const hasOther = Object.values(cluster.workers ?? {}).some((one) => one?.process !== child && one?.isConnected());
    for (const [seq, connection] of [...given]) {
      if (hasOther) child.emit("internalMessage", { cmd: "NODE_CLUSTER", ack: seq, accepted: false });
      else connection.close();
    }
    given.clear();
  }
}

/**
 * Flags of Node.js for gateway processes. Bodies and frames are memory outside of V8's heap. After its first large collection V8
 * shrinks the young space of a process that is not busy, so that those bytes pass into the old space, and then it stops
 * the process for 10 ms and more each second to collect them. With a young space that keeps its size they are freed there.
 * Node.js 24 and 26 would let it grow to 64 and 32 MB, and it holds twice that; 16 is what Node.js 20 allows.
 */
export const GATEWAY_FLAGS: readonly string[] = [
  "--min-semi-space-size=16",
  "--max-semi-space-size=16",
  "--no-memory-reducer",
];

/** For the console and the worker, whose young space would otherwise grow to that size while they load. */
export const BACKGROUND_FLAGS: readonly string[] = ["--max-semi-space-size=4"];

/**
 * For the same two. The C library would keep freed memory in an arena for each of the threads, of which they have a dozen; it costs them
 * 6 MB each. Gateways keep theirs, whose threads do more.
 */
export const BACKGROUND_ENV = { MALLOC_ARENA_MAX: "2" };

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
