import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PREFIX = "weir-test-";
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
export function createRunFolder(name: string): string {
  return mkdtempSync(join(temporary, `${PREFIX}${process.pid}-${name}-`));
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

/** Removes the folders of killed runs, whose process no longer exists. */
export function removeLeftovers(parents: readonly string[] = [memory, tmpdir(), packages]): void {
  for (const parent of parents.filter((path) => existsSync(path))) {
    for (const name of readdirSync(parent)) {
      const [, pid] = /^\.?weir-test-(\d+)-/.exec(name) ?? [];
      if (pid && !isAlive(Number(pid))) rmSync(join(parent, name), { recursive: true, force: true });
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
