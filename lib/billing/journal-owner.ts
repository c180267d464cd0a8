import { readFileSync, readlinkSync } from "node:fs";

/** Tells processes of one machine apart, also after a restart and in containers. `database`: where they charge. */
type Identity = { pid: number; boot: string; space: string; start: string; database: string };

const UNKNOWN = "";

/** The text that says which process writes a journal. */
export function describeOwner(database: string, pid = process.pid): string {
  const identity: Identity = { pid, boot: bootId(), space: processSpace(), start: startOf(pid), database };
  return JSON.stringify(identity);
}

/** Null = it cannot be told here: the process belongs to another machine or container, or the system is not Linux. */
export function isOwnerAlive(owner: string): boolean | null {
  const identity = parse(owner);
  if (!identity || identity.boot === UNKNOWN || identity.space === UNKNOWN || identity.start === UNKNOWN) return null;
  if (identity.boot !== bootId() || identity.space !== processSpace()) return null;
  return startOf(identity.pid) === identity.start;
}

/** False = the owner charged another database. */
export function isSameDatabase(owner: string, database: string): boolean {
  const written = parse(owner)?.database ?? UNKNOWN;
  return written === UNKNOWN || database === UNKNOWN || written === database;
}

function parse(owner: string): Identity | null {
  try {
    const { pid, boot, space, start, database = UNKNOWN } = JSON.parse(owner) as Record<string, unknown>;
    return {
      pid: Number(pid),
      boot: String(boot),
      space: String(space),
      start: String(start),
      database: String(database),
    };
  } catch {
    return null;
  }
}

function bootId(): string {
  return read("/proc/sys/kernel/random/boot_id").trim();
}

function processSpace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return UNKNOWN;
  }
}

/** When the process started, in ticks since boot. A process that has ended but is not collected yet has not started. */
function startOf(pid: number): string {
  const stat = read(`/proc/${pid}/stat`);
  const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return state === "Z" ? UNKNOWN : (fields[18] ?? UNKNOWN);
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return UNKNOWN;
  }
}
