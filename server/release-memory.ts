import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

type Collect = (options?: { type: "major"; execution: "sync"; flavor: "last-resort" }) => void;

let collect: Collect | undefined;

function collector(): Collect {
  setFlagsFromString("--expose-gc");
  collect ??= runInNewContext("gc") as Collect;
  return collect;
}

/**
 * Loading the program leaves up to 200 MB of garbage, which V8 keeps for as long as a process has little to do. Takes some
 * tenths of a second, so it is called while nobody waits: before a process takes requests. Before Node.js 22 the option is not known, every
 * option would mean the young space alone, and pages that are half empty stay unless V8 is told to move what they hold.
 */
export function releaseMemory(): void {
  const [major = 0] = process.versions.node.split(".").map(Number);
  if (major >= 22) {
    collector()({ type: "major", execution: "sync", flavor: "last-resort" });
  } else {
    setFlagsFromString("--compact-on-every-full-gc");
    collector()();
    setFlagsFromString("--no-compact-on-every-full-gc");
  }
}

/** Nobody has asked for so long. */
const QUIET_MS = 10_000;
/** A heap that has grown by less is not worth the pause. */
const GROWN_BYTES = 8 * 1_048_576;

/**
 * For a process that people use now and then. Opening a page for the first time leaves a fifth of the heap empty but taken. `begin` and
 * `end` are to be called with each answer: while one runs, a download for example, the pause would be noticed.
 */
export function releaseWhenQuiet(): { begin: () => void; end: () => void } {
  let running = 0;
  let keptBytes = getHeapStatistics().total_heap_size;
  const timer = setTimeout(() => {
    if (running > 0 || getHeapStatistics().total_heap_size < keptBytes + GROWN_BYTES) return;
    releaseMemory();
    keptBytes = getHeapStatistics().total_heap_size;
  }, QUIET_MS).unref();
  return {
    begin: () => void running++,
    end() {
      running--;
      timer.refresh();
    },
  };
}
