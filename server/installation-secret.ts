import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createDatabase } from "@/db/client";
import { rememberSecret } from "@/lib/secret/secret-commands";
import { readSecretState } from "@/lib/secret/secret-queries";

/** The new secret while `weir key rotate` runs, and afterwards until it is in use. */
export const nextSecretFile = (dataDirectory: string): string => join(dataDirectory, "secret.next");
const secretFile = (dataDirectory: string): string => join(dataDirectory, "secret");

function readLine(file: string): string | null {
  return existsSync(file) ? readFileSync(file, "utf8").trim() : null;
}

/** WEIR_SECRET, else the file `secret` of the data directory; null when there is neither. */
export function findSecret(dataDirectory: string, given: string | undefined): string | null {
  return given ?? readLine(secretFile(dataDirectory));
}

function syncFile(path: string): void {
  const handle = openSync(path, "r");
  fsyncSync(handle);
  closeSync(handle);
}

export function writeNextSecret(dataDirectory: string, secret: string): void {
  const file = nextSecretFile(dataDirectory);
  rmSync(file, { force: true });
  writeFileSync(file, `${secret}\n`, { mode: 0o600, flag: "wx" });
  syncFile(file);
  syncFile(dataDirectory);
}

/** Puts the new secret in the place of the old one, in one step. */
export function adoptNextSecret(dataDirectory: string): void {
  renameSync(nextSecretFile(dataDirectory), secretFile(dataDirectory));
  syncFile(dataDirectory);
}

/**
 * The secret that opens what is sealed in the database. Finishes a rotation that was cut off after its commit, and
 * forgets one that was cut off before. Throws when the secret is another one: what would be sealed under it now could
 * not be opened together with the rest.
 */
export async function settleSecret(url: string, dataDirectory: string, given: string | undefined): Promise<string> {
  const current = findSecret(dataDirectory, given);
  if (current === null)
    throw new Error("There is no secret: set WEIR_SECRET, or WEIR_DATA_DIR to where the file `secret` is.");
  const next = readLine(nextSecretFile(dataDirectory));
  const { sql, end } = createDatabase({ url, max: 1, applicationName: "weir-secret" });
  try {
    if ((await readSecretState(sql, current)) !== "differs") {
      await rememberSecret(sql, current);
      if (next !== null) rmSync(nextSecretFile(dataDirectory), { force: true });
      return current;
    }
    if (next === null || (await readSecretState(sql, next)) !== "fits") throw new Error(anotherSecret(given));
    if (given !== undefined) {
      throw new Error(
        `WEIR_SECRET is the one from before "weir key rotate". Replace it by the content of ${nextSecretFile(dataDirectory)}.`,
      );
    }
    adoptNextSecret(dataDirectory);
    return next;
  } finally {
    await end();
  }
}

function anotherSecret(given: string | undefined): string {
  const source = given === undefined ? "The file `secret` of the data directory" : "WEIR_SECRET";
  return `${source} is not the secret that this database was sealed with. Put back the right one, from a backup: weir restore FILE --secret-only (docs/operations/commands.md, "A lost secret").`;
}
