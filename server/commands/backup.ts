import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { BackupError } from "@/lib/backup/backup-error";
import { type BackupOptions, makeBackup } from "@/lib/backup/make-backup";
import { verifyBackup } from "@/lib/backup/read-backup";
import { type Env, env } from "@/lib/env";
import { canAsk } from "../ask";
import { askNewPassphrase, givenPassphrase } from "../backup-passphrase";
import { openCommandDatabase } from "../command-database";

export type BackupValues = {
  "passphrase-file"?: string;
  plain?: boolean;
  "without-secret"?: boolean;
  "without-logs"?: boolean;
  keep?: string;
};

const NAME = /^weir-\d{8}-\d{6}\.backup$/;

/** Writes a backup and reads it once more. Returns the exit code. */
export async function run(values: BackupValues, [target = ""]: string[]): Promise<number> {
  const settings = env();
  try {
    await backUp(settings, values, resolve(target));
    return 0;
  } catch (error) {
    if (!(error instanceof BackupError)) throw error;
    console.error(error.message);
    return 1;
  }
}

async function backUp(settings: Env, values: BackupValues, target: string): Promise<void> {
  const isFolder = statSync(target, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const keep = readKeep(values.keep, isFolder);
  const path = isFolder ? join(target, nameOf(new Date())) : target;
  if (existsSync(path)) throw new BackupError(`${path} is there already; it is never overwritten.`);
  const passphrase = await choosePassphrase(settings, values);
  const secret = readSecret(settings);
  const hasSecret = !values["without-secret"];
  if (hasSecret && secret === null) {
    throw new BackupError(
      "The secret is neither in WEIR_SECRET nor in the data directory. Set one of both, or use --without-secret.",
    );
  }
  if (secret !== null) process.env.WEIR_SECRET = secret;
  const { url, close } = await openCommandDatabase(settings);
  try {
    const journalDirectory = settings.WEIR_JOURNAL_DIR ?? join(resolve(settings.WEIR_DATA_DIR), "journal");
    const hasLogs = !values["without-logs"];
    await writeAndVerify({ url, path, journalDirectory, passphrase, hasSecret, hasLogs });
  } finally {
    await close();
  }
  if (keep > 0) removeOldest(target, keep);
}

async function writeAndVerify(options: BackupOptions): Promise<void> {
  const made = await makeBackup(options);
  if (made.foreign.length > 0) console.log(`left out, because they are not Weir's: ${made.foreign.join(", ")}`);
  const { tables, rows } = await verifyBackup(options.path, async () => options.passphrase ?? "");
  console.log(
    `${options.path}: ${tables} tables, ${rows} rows, ${made.pending} charges that were not booked yet, ${made.bytes} bytes; read once more and found whole`,
  );
  const content = options.hasSecret ? "the secret is in it" : "WITHOUT the secret: keep WEIR_SECRET elsewhere";
  console.log(`${options.passphrase === null ? "NOT encrypted" : "encrypted"}; ${content}`);
}

/** Whoever has database and secret has all provider keys, so that this is never left open. */
async function choosePassphrase(settings: Env, values: BackupValues): Promise<string | null> {
  const given = givenPassphrase(settings, values["passphrase-file"]);
  if (values.plain && values["passphrase-file"] !== undefined) {
    throw new BackupError("--plain and --passphrase-file contradict each other.");
  }
  if (values.plain) return null;
  if (given !== null) return given;
  if (values["without-secret"]) return null;
  if (canAsk()) return askNewPassphrase();
  throw new BackupError(
    [
      "A backup contains all provider keys and the secret that opens them. Choose one:",
      "  --passphrase-file FILE or WEIR_BACKUP_PASSPHRASE   encrypts the backup (recommended)",
      "  --without-secret   leaves the secret out; keep WEIR_SECRET elsewhere, the provider keys are lost without it",
      "  --plain            writes everything unencrypted: whoever gets the file has everything",
    ].join("\n"),
  );
}

function readSecret(settings: Env): string | null {
  if (settings.WEIR_SECRET) return settings.WEIR_SECRET;
  const file = join(resolve(settings.WEIR_DATA_DIR), "secret");
  return existsSync(file) ? readFileSync(file, "utf8").trim() : null;
}

function readKeep(text: string | undefined, isFolder: boolean): number {
  if (text === undefined) return 0;
  const keep = Number(text);
  if (!Number.isInteger(keep) || keep < 1) throw new BackupError("--keep needs a whole number of at least 1.");
  if (!isFolder) throw new BackupError("--keep needs a folder that is there already.");
  return keep;
}

function nameOf(date: Date): string {
  const digits = date.toISOString().replace(/\D/g, "");
  return `weir-${digits.slice(0, 8)}-${digits.slice(8, 14)}.backup`;
}

/** Only files that this command named, and only after a new backup was found whole. */
function removeOldest(folder: string, keep: number): void {
  const names = readdirSync(folder).filter((name) => NAME.test(name));
  for (const name of names.sort().reverse().slice(keep)) {
    rmSync(join(folder, name));
    console.log(`removed ${name}`);
  }
}
