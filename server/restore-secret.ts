import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BackupError } from "@/lib/backup/backup-error";
import type { Backup } from "@/lib/backup/read-backup";
import { unseal } from "@/lib/crypto";
import type { Env } from "@/lib/env";

/** What becomes of the file `secret` of the data directory. Null = nothing. */
export type SecretChange = { file: string; secret: string } | null;

/** Throws BackupError when Weir could not open the keys of the backup with the secret that it would have afterwards. */
export function planSecret(settings: Env, dataDirectory: string, backup: Backup, replaces: boolean): SecretChange {
  const file = join(dataDirectory, "secret");
  const present = existsSync(file) ? readFileSync(file, "utf8").trim() : null;
  const { secret } = backup;
  if (settings.WEIR_SECRET !== undefined) {
    checkSecret(settings.WEIR_SECRET, backup, "WEIR_SECRET");
    return null;
  }
  if (secret === null) {
    if (present === null) {
      throw new BackupError(
        "The backup is without its secret. Set WEIR_SECRET to the secret of the Weir that it was made of. Nothing was changed.",
      );
    }
    checkSecret(present, backup, file);
    return null;
  }
  if (present === secret) return null;
  if (present !== null && !replaces) {
    throw new BackupError(`${file} is another secret than the backup's. Use --replace, or another WEIR_DATA_DIR.`);
  }
  return { file, secret };
}

function checkSecret(secret: string, { manifest }: Backup, name: string): void {
  if (manifest.secretCheck === null) return;
  const before = process.env.WEIR_SECRET;
  try {
    process.env.WEIR_SECRET = secret;
    unseal(manifest.secretCheck);
  } catch (error) {
    throw new BackupError(`${name} is not the secret of this backup. Nothing was changed.`, { cause: error });
  } finally {
    if (before === undefined) delete process.env.WEIR_SECRET;
    else process.env.WEIR_SECRET = before;
  }
}

/** The old secret is kept beside the new one. */
export function writeSecret(change: SecretChange, stamp: string): void {
  if (change === null) return;
  const { file, secret } = change;
  if (existsSync(file)) {
    writeFileSync(`${file}.replaced-${stamp}`, readFileSync(file), { mode: 0o600, flush: true });
  }
  writeFileSync(file, `${secret}\n`, { mode: 0o600, flush: true });
}

/**
 * Puts the secret of the backup into the data directory, for a database that is still there. Returns what to tell.
 * Throws BackupError when there is nothing to put there.
 */
export function restoreSecretOnly(settings: Env, dataDirectory: string, { secret }: Backup, stamp: string): string {
  if (secret === null) throw new BackupError("The backup is without its secret. Nothing was changed.");
  const file = join(dataDirectory, "secret");
  const isThere = existsSync(file) && readFileSync(file, "utf8").trim() === secret;
  if (!isThere) writeSecret({ file, secret }, stamp);
  const done = isThere ? `${file} is the secret of the backup already.` : `The secret of the backup is in ${file} now.`;
  if (settings.WEIR_SECRET === undefined || settings.WEIR_SECRET === secret) return done;
  return `${done} WEIR_SECRET is another one and comes first: remove it, or set it to the content of the file.`;
}
