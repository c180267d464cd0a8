import { openArchiveFile } from "./archive-file";
import { decodeParts } from "./archive-parts";
import { DamagedBackup } from "./backup-error";
import { type Manifest, PART, type Part } from "./manifest";

export type Backup = {
  manifest: Manifest;
  /** Null = it was left out. */
  secret: string | null;
  isEncrypted: boolean;
  tables: number;
  rows: number;
  /** All parts once more, verified once more. */
  parts: () => AsyncGenerator<Part>;
};

/** Opens a backup and reads all of it. Throws BackupError when anything of it is not as it was written. */
export async function verifyBackup(path: string, askPassphrase: () => Promise<string>): Promise<Backup> {
  const file = await openArchiveFile(path, askPassphrase);
  const parts = () => decodeParts(file.read());
  let manifest: Manifest | null = null;
  let secret: string | null = null;
  let [tables, rows] = [0, 0];
  for await (const part of parts()) {
    if (part.kind === PART.manifest) manifest = part.value;
    if (part.kind === PART.secret) secret = part.value.secret;
    if (part.kind === PART.end) ({ tables, rows } = part.value);
  }
  if (!manifest) throw new DamagedBackup("it has no manifest");
  return { manifest, secret, isEncrypted: file.isEncrypted, tables, rows, parts };
}
