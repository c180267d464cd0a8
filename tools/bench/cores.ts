import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";

/** The core of what is measured. All others have the load generator, the fake upstream and PostgreSQL. */
const MEASURED_CORE = 0;

let isPinned = false;

const canPin = () => spawnSync("taskset", ["--version"]).error === undefined;

/** Two cores are divided: on one, a gateway and its load would take turns, and which waits for which differs from round to round. */
export const pinsByDefault = (): boolean => availableParallelism() === 2 && canPin();

/** Moves this process, and what it starts from now on, from the core of what is measured. Throws where that cannot be done. */
export function pinCores(): void {
  const cores = availableParallelism();
  if (cores < 2 || !canPin()) throw new Error("--pin needs two cores and taskset");
  const others = cores === 2 ? "1" : `1-${cores - 1}`;
  const { status, stderr } = spawnSync("taskset", ["--all-tasks", "--cpu-list", "--pid", others, String(process.pid)]);
  if (status !== 0) throw new Error(`taskset: ${stderr}`);
  isPinned = true;
}

/** What stands before the command of a process that is measured. */
export const measuredCommand = (): string[] => (isPinned ? ["taskset", "--cpu-list", String(MEASURED_CORE)] : []);
