import { readdirSync, readFileSync } from "node:fs";

/** Linux reports CPU time in ticks of 10 ms. */
const TICK_MS = 10;

type Stat = { parent: number; ticks: number; rssPages: number };

function readStat(pid: number): Stat | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The command name may hold spaces and parentheses; the fields start after the last ")".
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const at = (index: number) => Number(fields[index - 3]);
    return { parent: at(4), ticks: at(14) + at(15) + at(16) + at(17), rssPages: at(24) };
  } catch {
    return null;
  }
}

function treeOf(root: number): Stat[] {
  const stats = new Map<number, Stat>();
  for (const name of readdirSync("/proc")) {
    const stat = /^\d+$/.test(name) ? readStat(Number(name)) : null;
    if (stat) stats.set(Number(name), stat);
  }
  const isInTree = (pid: number): boolean => pid === root || (stats.has(pid) && isInTree(stats.get(pid)?.parent ?? 0));
  return [...stats].filter(([pid]) => pid > 0 && isInTree(pid)).map(([, stat]) => stat);
}

/** CPU time (user + system) in ms of a process and its descendants, including ended ones that were waited for. */
export function cpuMs(pid: number): number {
  return treeOf(pid).reduce((sum, stat) => sum + stat.ticks, 0) * TICK_MS;
}

/** Resident memory of a process and its descendants in MiB (4 KiB pages). */
export function residentMib(pid: number): number {
  return treeOf(pid).reduce((sum, stat) => sum + stat.rssPages, 0) / 256;
}
