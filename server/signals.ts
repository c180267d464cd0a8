import type { Child } from "./children";
import { planReplacement } from "./drain-limits"; /** What a signal to the supervisor asks for. `isTyped`: by Ctrl-C. */
export type Signals = {
  onStop: (signal: string, isTyped: boolean) => void;
  onStopAtOnce: () => void;
  onReplace: () => void;
};

const AGAIN_MS = 1_000;

/** SIGHUP also says that the terminal was closed, which stops what runs in it. */
export function listenToSignals({ onStop, onStopAtOnce, onReplace }: Signals, isInTerminal: boolean): void {
  let firstAt = 0;
  function stop(signal: string): void {
    // A terminal and npm both forward the same Ctrl-C, so only a signal more than a second later means "stop at once".
    if (firstAt === 0) {
      firstAt = Date.now();
      onStop(signal, signal === "SIGINT");
    } else if (Date.now() - firstAt > AGAIN_MS) onStopAtOnce();
  }
  process.on("SIGINT", () => stop("SIGINT"));
  process.on("SIGTERM", () => stop("SIGTERM"));
  process.on("SIGHUP", () => (isInTerminal ? stop("SIGHUP") : onReplace()));
}

type Replacing = {
  children: readonly Child[];
  say: (message: string) => void;
  /** Brings the database up to what the new program needs. */
  migrate: () => Promise<unknown>;
};

let isRunning = false;

/** Replaces all processes of a running Weir, one at a time. The first that does not become ready ends it. Never rejects. */
export async function replaceProcesses({ children, say, migrate }: Replacing): Promise<void> {
  if (isRunning || children.length === 0) return say("SIGHUP: not now, processes are being started or replaced");
  isRunning = true;
  say("SIGHUP: replacing the processes one at a time");
  try {
    await migrate();
    const failed = await replaceEach(children);
    if (failed) say(`the new ${failed.name} did not become ready; the old one goes on, and nothing more is replaced`);
    else say("all processes are replaced");
  } catch (error) {
    say(
      `the database could not be migrated, so nothing is replaced: ${error instanceof Error ? error.message : error}`,
    );
  } finally {
    isRunning = false;
  }
}

async function replaceEach(children: readonly Child[]): Promise<Child | null> {
  for (const child of children) {
    if (!(await child.replace(planReplacement()))) return child;
  }
  return null;
}
