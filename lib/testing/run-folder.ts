import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PREFIX = `weir-test-in${pidNamespace()}-`;
/** Below node_modules, where bundles find the packages. */
const packages = join(process.cwd(), "node_modules");
/** A file system in memory, on Linux. */
const memory = "/dev/shm";
const MEMORY_BYTES_MIN = 3 * 1_024 ** 3;

/** Where temporary files cost least. */
export const temporary = hasRoom(memory) ? memory : tmpdir();
export const isInMemory = temporary === memory;

/**
 * A new folder of this process, in memory where there is room: a database has hundreds of files, and on ext4 creating and
 * deleting them takes ten times the CPU time. The next run removes the folder if this one is killed.
 */
export function createRunFolder(name: string, parent = temporary): string {
  return mkdtempSync(join(parent, `${PREFIX}${process.pid}-${name}-`));
}

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= MEMORY_BYTES_MIN;
}

/** The same for code that imports packages. */
export function createBundleFolder(name: string): string {
  return mkdtempSync(join(packages, `.${PREFIX}${process.pid}-${name}-`));
}

/**
 * Removes the folders of killed runs, whose process no longer exists. Folders of other containers, whose processes cannot
 * be seen from here, and of other users are left alone.
 */
export function removeLeftovers(parents: readonly string[] = [memory, tmpdir(), packages]): void {
  const named = new RegExp(`^\\.?${PREFIX}(\\d+)-`);
  for (const parent of parents.filter((path) => existsSync(path))) {
    for (const name of readdirSync(parent)) {
      const [, pid] = named.exec(name) ?? [];
      if (pid && !isAlive(Number(pid))) removeOwn(join(parent, name));
    }
  }
}

function removeOwn(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Another user's, or an orphaned server still writes into it: no reason for this run to fail.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user may not be signalled.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** The same process id is another process in another container, which may share the folders. */
function pidNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0";
  } catch {
    return "0";
  }
}
