import { type ChildProcess, fork } from "node:child_process";
import cluster, { type Worker } from "node:cluster";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { GATEWAY_FLAGS } from "./gateway-flags";

export type Child = {
  name: string;
  ready: Promise<void>;
  /** Stops the process; the supervisor restarts it with the current sources. */
  reload: () => void;
  stop: () => Promise<void>;
  /** Sends SIGKILL without draining. */
  kill: () => void;
};

type Handle = {
  pid: number | undefined;
  onReady: (listener: () => void) => void;
  onExit: (listener: (how: string) => void) => void;
  kill: (signal: NodeJS.Signals) => void;
};

const drainMs = 40_000;
const restartMsMin = 200;
const restartMsMax = 10_000;
/** After running this long, a process is again restarted with the shortest delay. */
const settledMs = 30_000;

/** Path of another process's entry file, with the extension of this file: .ts in development, .js in a build. */
function entry(name: string): string {
  const self = fileURLToPath(import.meta.url);
  return fileURLToPath(new URL(`./${name}${extname(self)}`, import.meta.url));
}

function isReadyMessage(message: unknown): boolean {
  return typeof message === "object" && message !== null && "type" in message && message.type === "ready";
}

function forkProcess(name: string, env: NodeJS.ProcessEnv): Handle {
  // Detached: Ctrl-C in the terminal reaches only the supervisor, which stops its children in order.
  const child: ChildProcess = fork(entry(name), { env, detached: true });
  return {
    pid: child.pid,
    onReady: (listener) => void child.on("message", (message) => isReadyMessage(message) && listener()),
    onExit: (listener) => void child.once("exit", (code, signal) => listener(signal ?? `code ${code}`)),
    kill: (signal) => void child.kill(signal),
  };
}

function forkClusterWorker(name: string, env: NodeJS.ProcessEnv): Handle {
  cluster.setupPrimary({ exec: entry(name), execArgv: [...process.execArgv, ...GATEWAY_FLAGS] });
  const worker: Worker = cluster.fork(env);
  return {
    pid: worker.process.pid,
    onReady: (listener) => void worker.on("listening", () => listener()),
    onExit: (listener) => void worker.once("exit", (code, signal) => listener(signal ?? `code ${code}`)),
    kill: (signal) => void worker.process.kill(signal),
  };
}

export type ChildSettings = {
  name: string;
  env: NodeJS.ProcessEnv;
  /** Shares one listening port with other processes of this name, by node:cluster. */
  clustered?: boolean;
  onDeath: (message: string) => void;
};

/** Keeps one process running: starts it, restarts it with increasing delays when it dies, drains it on `stop`. */
export function superviseChild({ name, env, clustered, onDeath }: ChildSettings): Child {
  let handle: Handle | null = null;
  let timer: NodeJS.Timeout | undefined;
  let waitMs = restartMsMin;
  let stopping = false;
  let markReady = (): void => {};
  let markStopped = (): void => {};
  const ready = new Promise<void>((done) => {
    markReady = done;
  });
  const stopped = new Promise<void>((done) => {
    markStopped = done;
  });

  function start(): void {
    const startedAt = Date.now();
    handle = (clustered ? forkClusterWorker : forkProcess)(name, env);
    handle.onReady(markReady);
    handle.onExit((how) => {
      handle = null;
      if (stopping) return markStopped();
      const pauseMs = Date.now() - startedAt > settledMs ? restartMsMin : waitMs;
      waitMs = Math.min(pauseMs * 2, restartMsMax);
      onDeath(`${name} ended (${how}); starting it again in ${pauseMs} ms`);
      timer = setTimeout(start, pauseMs);
    });
  }

  async function stop(): Promise<void> {
    stopping = true;
    clearTimeout(timer);
    if (handle === null) return;
    handle.kill("SIGTERM");
    const force = setTimeout(() => handle?.kill("SIGKILL"), drainMs);
    await stopped;
    clearTimeout(force);
  }

  start();
  function kill(): void {
    stopping = true;
    handle?.kill("SIGKILL");
  }
  return { name, ready, reload: () => handle?.kill("SIGTERM"), stop, kill };
}
