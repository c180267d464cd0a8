import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
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
  // When running as root, PostgreSQL uses another account, which must be able to traverse this directory. Each file in
  // it is protected by its own mode.
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700;
  try {
    mkdirSync(directory, { recursive: true, mode });
    chmodSync(directory, mode);
    accessSync(directory, constants.W_OK);
  } catch (error) {
    throw new Error(`${describeRefusal(directory, error)} "weir doctor" looks at everything a start needs.`);
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
  const account = process.getuid ? `account ${userInfo().username}` : "this account";
  return `The data directory ${directory} must belong to the account that runs Weir, now ${account}: run as its owner, or chown it, or set WEIR_DATA_DIR.`;
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
