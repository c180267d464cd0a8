import { readdirSync, readFileSync } from "node:fs";

/** Linux reports CPU time in ticks of 10 ms. */
const TICK_MS = 10;

type Stat = { pid: number; parent: number; ownTicks: number; endedTicks: number; rssPages: number };

function readStat(pid: number): Stat | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The command name may hold spaces and parentheses; the fields start after the last ")".
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const at = (index: number) => Number(fields[index - 3]);
    return { pid, parent: at(4), ownTicks: at(14) + at(15), endedTicks: at(16) + at(17), rssPages: at(24) };
  } catch {
    return null;
  }
}

/** The process `root` and those below it, without `except` and what is below that. */
function treeOf(root: number, except?: number): Stat[] {
  const stats = new Map<number, Stat>();
  for (const name of readdirSync("/proc")) {
    const stat = /^\d+$/.test(name) ? readStat(Number(name)) : null;
    if (stat) stats.set(Number(name), stat);
  }
  const isInTree = (pid: number): boolean =>
    pid !== except && (pid === root || (stats.has(pid) && isInTree(stats.get(pid)?.parent ?? 0)));
  return [...stats].filter(([pid]) => pid > 0 && isInTree(pid)).map(([, stat]) => stat);
}

/** CPU time of a process that runs, to the nanosecond where the kernel says it for each of its threads. */
function ownMs({ pid, ownTicks }: Stat): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const nanoseconds = threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8"));
    return nanoseconds.reduce((sum, text) => sum + Number.parseInt(text, 10), 0) / 1e6;
  } catch {
    return ownTicks * TICK_MS;
  }
}

/**
 * CPU time (user + system) in ms of a process and its descendants, including ended ones that were waited for. `except`: a process
 * below it that is left out, with its own descendants.
 */
export function cpuMs(pid: number, except?: number): number {
  return treeOf(pid, except).reduce((sum, stat) => sum + ownMs(stat) + stat.endedTicks * TICK_MS, 0);
}

/** Resident memory of a process and its descendants in MiB (4 KiB pages). */
export function residentMib(pid: number): number {
  return treeOf(pid).reduce((sum, stat) => sum + stat.rssPages, 0) / 256;
}

/** One process's memory: resident, and the same with each shared page divided among the processes that have it. */
export function memoryOf(pid: number): { residentMib: number; sharedOutMib: number } {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const mib = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(text)?.[1]) / 1_024;
  return { residentMib: mib("Rss"), sharedOutMib: mib("Pss") };
}

/** Memory of a process and its descendants in MiB, shared pages divided; not a number if another account's are among them. */
export function sharedOutMib(pid: number, except?: number): number {
  try {
    return treeOf(pid, except).reduce((sum, stat) => sum + memoryOf(stat.pid).sharedOutMib, 0);
  } catch {
    return Number.NaN;
  }
}
