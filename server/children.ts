import type { ChildProcess } from "node:child_process";
import { type DrainPlan, killMsOf } from "./drain-limits";
import { type FromChild, reasonOf, type ToChild, typeOf } from "./messages";
import { forkClustered, forkProcess, type Handle } from "./processes";

export type Child = {
  name: string;
  /** Rejects with ChildNeverReady when it has ended five times without having been ready once. */
  ready: Promise<void>;
  /**
   * Starts another process, with the program as it is on disk now, and drains this one once the other is ready. False = the
   * other did not become ready, and this one goes on. Resolves when it has ended, or after a while.
   */
  replace: (plan: DrainPlan) => Promise<boolean>;
  stop: (plan: DrainPlan) => Promise<void>;
  tell: (message: ToChild) => void;
  /** The processes that run; while one replaces another there are two, the newest last. */
  processes: () => readonly ChildProcess[];
  /** Sends SIGKILL without draining. */
  kill: () => void;
};

const restartMsMin = 200;
const restartMsMax = 10_000;
/** After running this long, a process is again restarted with the shortest delay. */
const settledMs = 30_000;
/** One that has never been ready is started so often; then its start has failed. */
const startsMax = 5;
/** A replacement that is not ready by then is given up. */
const readyMs = 60_000;
/** How long the next replacement waits for a process that drains, so that few run twice at the same time. */
const patienceMs = 15_000;

export type ChildSettings = {
  name: string;
  env: NodeJS.ProcessEnv;
  lifeline?: number | null | undefined;
  /** Shares one listening port with other processes, by node:cluster. */
  clustered?: boolean;
  flags?: readonly string[];
  onDeath: (message: string) => void;
  /** What it tells besides being ready. */
  onMessage?: (type: FromChild["type"]) => void;
};

/** A process that ended again and again at the start. */
export class ChildNeverReady extends Error {
  readonly exitCode: number;

  constructor(name: string, how: string, reason: string, exitCode: number) {
    const why = reason === "" ? "its reason is above" : reason;
    super(`${name} ended ${startsMax} times without having been ready (${how}): ${why}`);
    this.exitCode = exitCode === 0 ? 1 : exitCode;
  }
}

/** Keeps one process running: starts it, restarts it with increasing delays when it dies, replaces it, drains it on `stop`. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share the state of one process
export function superviseChild(settings: ChildSettings): Child {
  const { name, env, lifeline = null, clustered, flags = [], onDeath } = settings;
  const running = new Set<Handle>();
  let current: Handle | null = null;
  let timer: NodeJS.Timeout | undefined;
  let waitMs = restartMsMin;
  let isReplacing = false;
  let stopping = false;
  const starts = countStarts(name);

  function launch(): Handle {
    const handle = (clustered ? forkClustered : forkProcess)(name, { env, flags, lifeline });
    running.add(handle);
    handle.onMessage(starts.hear);
    handle.onMessage((message) => settings.onMessage?.(typeOf(message) as FromChild["type"]));
    void handle.ready.then(starts.end);
    void handle.ended.then((how) => onEnd(handle, how));
    return handle;
  }

  function onEnd(handle: Handle, how: string): void {
    running.delete(handle);
    if (handle !== current) return;
    current = null;
    // Else its replacement is on its way.
    if (!stopping && !isReplacing) startAgain(handle, how);
  }

  function startAgain({ startedAt, process: { exitCode } }: Handle, how: string): void {
    if (starts.failForGood(how, exitCode)) return;
    const pauseMs = Date.now() - startedAt > settledMs ? restartMsMin : waitMs;
    waitMs = Math.min(pauseMs * 2, restartMsMax);
    onDeath(`${name} ended (${how}); starting it again in ${pauseMs} ms`);
    timer = setTimeout(() => {
      current = launch();
    }, pauseMs);
  }

  async function replace(plan: DrainPlan): Promise<boolean> {
    const before = current;
    // One that is about to be started again has the new program anyway.
    if (stopping || isReplacing || !before) return !stopping;
    isReplacing = true;
    const next = launch();
    const isReady = await Promise.race([next.ready, after(readyMs, false)]);
    isReplacing = false;
    if (!isReady || stopping) {
      next.kill("SIGKILL");
      if (!current && !stopping) startAgain(before, "while it was replaced");
      return false;
    }
    current = next;
    await Promise.race([drain(before, plan), after(patienceMs, null)]);
    return true;
  }

  async function stop(plan: DrainPlan): Promise<void> {
    stopping = true;
    clearTimeout(timer);
    await Promise.all([...running].map((handle) => drain(handle, plan)));
  }

  function kill(): void {
    stopping = true;
    for (const handle of running) handle.kill("SIGKILL");
  }

  current = launch();
  const processes = () => [...running].map(({ process }) => process);
  return { name, ready: starts.ready, replace, stop, tell: (message) => current?.tell(message), processes, kill };
}

/** Counts how often a process has ended before it was ready once. */
function countStarts(name: string) {
  let hasSucceeded = false;
  let failed = 0;
  let reason = "";
  let succeed = (): void => {};
  let giveUp = (_error: Error): void => {};
  const ready = new Promise<void>((done, fail) => {
    succeed = done;
    giveUp = fail;
  });
  // Not everybody waits for it.
  ready.catch(() => {});
  return {
    ready,
    hear(message: unknown): void {
      reason = reasonOf(message) ?? reason;
    },
    /** A start is over: it succeeded, or the process has ended. */
    end(isReady: boolean): void {
      if (!isReady) return;
      hasSucceeded = true;
      succeed();
    },
    /** True = it is not started again. */
    failForGood(how: string, exitCode: number | null): boolean {
      failed += 1;
      if (hasSucceeded || failed < startsMax) return false;
      giveUp(new ChildNeverReady(name, how, reason, exitCode ?? 1));
      return true;
    },
  };
}

async function drain(handle: Handle, plan: DrainPlan): Promise<void> {
  handle.tell({ type: "drain", plan });
  const force = setTimeout(() => handle.kill("SIGKILL"), killMsOf(plan));
  await handle.ended;
  clearTimeout(force);
}

function after<Value>(ms: number, value: Value): Promise<Value> {
  return new Promise((done) => setTimeout(done, ms, value).unref());
}
