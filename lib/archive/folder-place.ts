import { lstat, open, readdir, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { logger } from "@/lib/logger";
import { ArchiveError } from "./storage";

/** A file of this name tells the disk of the archives from an empty folder in which that disk is not mounted. */
const MARKER = ".weir-archive";
const MARKER_TEXT =
  "Weir archives its usage log in this folder. While this file is missing, Weir takes the disk for unmounted and archives nothing.\n";

export const PARTIAL = ".partial";
/** An unfinished file of an archive: the archive, the end of its kind, and the process that writes it. */
const UNFINISHED = /^\d{8}T\d{6}Z-\d{8}T\d{6}Z-[0-9a-f]{12}\.(?:jsonl\.gz|parquet|manifest\.json)\.\d+\.partial$/;
/** Nobody has written to it for so long. A process writes to its file all the time while it archives. */
const ABANDONED_MS = 3_600_000;

/** Marks a folder that was never used; one that was used must have its mark. The folder itself must be there. */
export async function markFolder(root: string, wasUsed: boolean): Promise<void> {
  // An automatic mount shows itself only when it is looked into.
  await readdir(root);
  if (await isMarked(root)) return;
  if (wasUsed) throw unmarked(root);
  const file = await open(join(root, MARKER), "wx", 0o644).catch((error) => {
    // Another worker was faster.
    if (error.code === "EEXIST") return null;
    throw error;
  });
  if (!file) return;
  try {
    await file.writeFile(MARKER_TEXT);
    await file.sync();
  } finally {
    await file.close();
  }
  await syncFolder(root);
}

export async function assertMarked(root: string): Promise<void> {
  await realpath(root);
  if (!(await isMarked(root))) throw unmarked(root);
}

async function isMarked(root: string): Promise<boolean> {
  try {
    await lstat(join(root, MARKER));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

function unmarked(root: string): ArchiveError {
  return new ArchiveError(
    `${root} is not the folder that was used before: the file ${MARKER} is missing in it. Is its disk mounted? ` +
      `If the folder is new on purpose, create an empty file of that name in it.`,
  );
}

/** Removes what processes have left that were killed while they wrote into this folder. */
export async function removeAbandoned(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isFile() || !UNFINISHED.test(entry.name)) continue;
    const path = join(folder, entry.name);
    try {
      if (Date.now() - (await lstat(path)).mtimeMs < ABANDONED_MS) continue;
      await rm(path, { force: true });
      logger.info({ path }, "an unfinished archive of a process that has ended is removed");
    } catch (error) {
      // The process that writes it has given it its name.
      if ((error as NodeJS.ErrnoException).code === "ENOENT") continue;
      // It takes room and does no other harm. The next archive tries again.
      logger.warn({ path, err: error }, "an unfinished archive cannot be removed");
    }
  }
}

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  // Some file systems cannot do this with a folder.
  await folder.sync().catch(() => {});
  await folder.close();
}
