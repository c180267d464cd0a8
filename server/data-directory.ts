import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { holdSocket } from "./directory-socket";

/** While this file is there, database and secret may not belong together. */
export const unfinishedRestore = (directory: string): string => join(directory, "restore-unfinished");

/**
 * The directory for everything this installation stores outside its database. Creates it if needed. Throws after a restore
 * that was interrupted at its end, except for the next restore.
 */
export function openDataDirectory(directory: string, { isRestore = false } = {}): void {
  refuseOthersData(directory);
  if (!isRestore && existsSync(unfinishedRestore(directory))) {
    throw new Error("A restore was interrupted at its end. Run weir restore with --replace once more.");
  }
  try {
    makeOwnFolder(directory);
    assertWritable(directory);
  } catch (error) {
    throw new Error(`${describeRefusal(directory, error)} "weir doctor" looks at everything a start needs.`);
  }
}

/** Run by root, PostgreSQL has another account, which must be able to pass through. Each file has a mode of its own. */
const ownMode = (): number => (process.getuid?.() === 0 ? 0o711 : 0o700);

/**
 * Creates a folder for this installation's files. One that is there already keeps its mode, because it may be a volume that
 * somebody else set up; root only lets its database pass through.
 */
export function makeOwnFolder(directory: string): void {
  const mode = ownMode();
  if (mkdirSync(directory, { recursive: true, mode }) === undefined) openToDatabase(directory);
  else setMode(directory, mode);
}

function openToDatabase(directory: string): void {
  const { uid, mode } = statSync(directory);
  if (process.getuid?.() !== 0 || uid !== 0 || (mode & 0o011) === 0o011) return;
  setMode(directory, (mode & 0o7777) | 0o011);
}

/** Some file systems (SMB, FAT, those of object stores) know no modes; what can be done there shows when it is written. */
function setMode(path: string, mode: number): void {
  try {
    chmodSync(path, mode);
  } catch (error) {
    if (!["EPERM", "EACCES", "EINVAL", "ENOSYS", "ENOTSUP", "EROFS"].includes(codeOf(error))) throw error;
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "";

/** By writing: what owner, group and mode say is not all that decides. */
function assertWritable(directory: string): void {
  const file = join(directory, `.written-at-start-${process.pid}`);
  try {
    writeFileSync(file, "1", { mode: 0o600 });
  } catch (error) {
    // A start does not make it worse, and running is what clears journals away.
    if (!["ENOSPC", "EDQUOT"].includes(codeOf(error))) throw error;
  } finally {
    rmSync(file, { force: true });
  }
}

/** The name of this account. A container may run under a number that has none, for which the system throws. */
function accountInWords(): string {
  if (!process.getuid) return "this account";
  try {
    return `account ${userInfo().username}`;
  } catch {
    return `account ${process.getuid()}, which has no name here`;
  }
}

/** As root every file could be written, but the account that the data belongs to could not use them any more. */
function refuseOthersData(directory: string): void {
  if (process.getuid?.() !== 0) return;
  const made = ["postgres", "secret", "journal"]
    .map((name) => join(directory, name))
    .filter((path) => existsSync(path));
  const uid = made.map((path) => statSync(path).uid).find((owner) => owner !== 0);
  if (uid === undefined) return;
  const name = spawnSync("id", ["-nu", String(uid)], { encoding: "utf8" }).stdout?.trim() || `#${uid}`;
  throw new Error(
    `The data in ${directory} belongs to the account ${name}, and this is root. Run the same as ${name}: runuser -u ${name} -- npx weir …`,
  );
}

function describeRefusal(directory: string, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOSPC") return `The disk of the data directory ${directory} is full.`;
  if (code === "EROFS") return `The data directory ${directory} is on a disk that is mounted read-only.`;
  if (code === "EEXIST" || code === "ENOTDIR") return `The data directory ${directory} is a file, not a folder.`;
  if (code !== "EACCES" && code !== "EPERM") return `The data directory ${directory} cannot be used: ${message}.`;
  return `The data directory ${directory} cannot be written by the account that runs Weir, now ${accountInWords()}: run as its owner, or chown it, or set WEIR_DATA_DIR.`;
}

/** Reads a secret of this installation, or creates it the first time. */
export function keepSecret(directory: string, name: string, make: () => string): string {
  const file = join(directory, name);
  if (!existsSync(file)) writeFileSync(file, `${make()}\n`, { mode: 0o600, flag: "wx" });
  return readFileSync(file, "utf8").trim();
}

export const randomSecret = (): string => randomBytes(32).toString("base64url");

function commandOf(pid: number): string | null {
  try {
    process.kill(pid, 0);
  } catch {
    return null;
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "main.js";
  }
}

/**
 * Ensures one supervisor per data directory, so that two do not use one database. Returns the function that releases
 * the lock.
 */
export async function lockDataDirectory(directory: string): Promise<() => void> {
  refuseOthersData(directory);
  const file = join(directory, "weir.pid");
  const socket = await holdSocket(join(directory, "weir.sock"));
  const holder = existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
  // A socket that was left tells that its process has ended. Else the process id may have been reused by another program,
  // so check its command line.
  const isRunning = (): boolean =>
    holder > 0 && holder !== process.pid && /(main\.[jt]s|\/weir(\.mjs)?)(\0|$)/.test(commandOf(holder) ?? "");
  if (socket.state === "taken" || (!socket.wasLeft && isRunning())) {
    socket.release();
    throw new Error(
      `Weir already runs with this data directory (process ${holder}, maybe of another container). Stop it, or set WEIR_DATA_DIR to another folder.`,
    );
  }
  writeFileSync(file, `${process.pid}\n`, { mode: 0o600 });
  return () => {
    rmSync(file, { force: true });
    socket.release();
  };
}
