import { readFileSync } from "node:fs";
import { BackupError } from "@/lib/backup/backup-error";
import type { Env } from "@/lib/env";
import { ask, canAsk } from "./ask";

/** The passphrase that was given by a file (its first line) or the environment. Null = none was. */
export function givenPassphrase(settings: Env, file: string | undefined): string | null {
  if (file === undefined) return settings.WEIR_BACKUP_PASSPHRASE ?? null;
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new BackupError(`The file with the passphrase cannot be read: ${(error as Error).message}`, { cause: error });
  }
  const line = text.split(/\r?\n/, 1)[0] ?? "";
  if (line === "") throw new BackupError(`The first line of ${file} is empty; it must be the passphrase.`);
  return line;
}

export async function askNewPassphrase(): Promise<string> {
  const passphrase = await ask("Passphrase for the backup: ", { isHidden: true });
  if ((await ask("The same again: ", { isHidden: true })) !== passphrase) {
    throw new BackupError("The two passphrases differ; no backup was made.");
  }
  return passphrase;
}

export async function askPassphrase(): Promise<string> {
  if (!canAsk()) {
    throw new BackupError(
      "The backup is encrypted. Give its passphrase by --passphrase-file FILE or WEIR_BACKUP_PASSPHRASE. Nothing was changed.",
    );
  }
  return ask("Passphrase of the backup: ", { isHidden: true });
}
