import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** While this file is there, database and secret may not belong together. */
export const unfinishedRestore = (directory: string): string => join(directory, "restore-unfinished");

/**
 * The directory for everything this installation stores outside its database. Creates it if needed. Throws after a restore
 * that was interrupted at its end, except for the next restore.
 */
export function openDataDirectory(directory: string, { isRestore = false } = {}): void {
  if (!isRestore && existsSync(unfinishedRestore(directory))) {
    throw new Error("A restore was interrupted at its end. Run weir restore with --replace once more.");
  }
  // When running as root, PostgreSQL uses another account, which must be able to traverse this directory. Each file in
  // it is protected by its own mode.
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700;
  mkdirSync(directory, { recursive: true, mode });
  chmodSync(directory, mode);
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
export function lockDataDirectory(directory: string): () => void {
  const file = join(directory, "weir.pid");
  const holder = existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
  // The process id may have been reused by another program, so check its command line.
  if (holder > 0 && holder !== process.pid && /(main\.[jt]s|\/weir(\.mjs)?)(\0|$)/.test(commandOf(holder) ?? "")) {
    throw new Error(
      `Weir already runs with this data directory (process ${holder}). Stop it, or set WEIR_DATA_DIR to another folder.`,
    );
  }
  writeFileSync(file, `${process.pid}\n`, { mode: 0o600 });
  return () => rmSync(file, { force: true });
}
