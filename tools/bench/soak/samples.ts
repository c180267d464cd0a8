import { readdirSync, readlinkSync } from "node:fs";
import { childrenOf, type OwnWeir } from "../own-weir";
import { memoryOf } from "../proc";

export type ProcessSample = {
  pid: number;
  pssMib: number;
  /** Not a number: it does not say. */
  heapMib: number;
  descriptors: number;
  sockets: number;
};

export type Sample = {
  atSeconds: number;
  processes: Map<string, ProcessSample>;
  /** Whether all processes told their figures in time. */
  isWhole: boolean;
  /** What the gateways hold: requests, streams, charges that wait. */
  open: Record<(typeof OPEN)[number], number>;
};

export const OPEN = ["weir_requests_in_flight", "weir_streams_in_flight", "weir_settler_queue"] as const;
/** Those that have no figures of their own. */
const SILENT = new Set(["supervisor", "postgresql"]);
const MIB = 1_048_576;

/** Looks at all processes at once. PostgreSQL counts as one, with the processes below its first. */
export async function takeSample(weir: OwnWeir, metricsUrl: string, atSeconds: number): Promise<Sample> {
  const figures = await readMetrics(metricsUrl);
  const processes = new Map<string, ProcessSample>();
  for (const [name, pid] of weir.processes()) {
    const heapMib = (figures.heaps.get(name) ?? Number.NaN) / MIB;
    processes.set(name, { pid, heapMib, ...(name === "postgresql" ? postgresql(pid) : look(pid)) });
  }
  const sumOf = (name: string) => figures.sums.get(name) ?? 0;
  const open = Object.fromEntries(OPEN.map((name) => [name, sumOf(name)])) as Sample["open"];
  const isWhole = [...processes.keys()].every((name) => SILENT.has(name) || figures.heaps.has(name));
  return { atSeconds, processes, open, isWhole };
}

type Look = Pick<ProcessSample, "pssMib" | "descriptors" | "sockets">;

function look(pid: number): Look {
  const names = readdirSync(`/proc/${pid}/fd`);
  const targets = names.map((name) => linkOf(`/proc/${pid}/fd/${name}`));
  const sockets = targets.filter((target) => target.startsWith("socket:")).length;
  return { pssMib: memoryOf(pid).sharedOutMib, descriptors: names.length, sockets };
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    // It was closed meanwhile.
    return "";
  }
}

function postgresql(first: number): Look {
  const looks = [first, ...childrenOf(first)].flatMap((pid) => {
    try {
      return [look(pid)];
    } catch {
      // A process of PostgreSQL that has ended meanwhile.
      return [];
    }
  });
  const sum = (field: keyof Look) => looks.reduce((total, one) => total + one[field], 0);
  return { pssMib: sum("pssMib"), descriptors: sum("descriptors"), sockets: sum("sockets") };
}

/** Heaps by the names of `OwnWeir.processes`, and sums over all processes. */
async function readMetrics(url: string): Promise<{ heaps: Map<string, number>; sums: Map<string, number> }> {
  // The port closes connections that are idle, maybe just when the next question is on its way.
  const text = await (await fetch(url, { headers: { connection: "close" } })).text();
  const heaps = new Map<string, number>();
  const sums = new Map<string, number>();
  for (const line of text.split("\n")) {
    const [, name = "", labels = "", value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (value === undefined) continue;
    sums.set(name, (sums.get(name) ?? 0) + Number(value));
    const [, role, number] = /process="(\w+)-(\d+)"/.exec(labels) ?? [];
    if (name === "weir_memory_bytes" && labels.includes('"heap_used"') && role)
      heaps.set(number === "1" ? role : `${role} ${number}`, Number(value));
  }
  return { heaps, sums };
}
