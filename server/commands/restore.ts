import { resolve } from "node:path";
import { createDatabase } from "@/db/client";
import { describePlace, readDatabaseAddress } from "@/db/database-address";
import { BackupError } from "@/lib/backup/backup-error";
import { type Backup, verifyBackup } from "@/lib/backup/read-backup";
import { splitMigrations } from "@/lib/backup/restore-commands";
import { reconcile } from "@/lib/billing/reconcile";
import { readComparableHours, reconcileHours } from "@/lib/billing/reconcile-hours";
import { type Env, env } from "@/lib/env";
import { ask, canAsk } from "../ask";
import { askPassphrase, givenPassphrase } from "../backup-passphrase";
import { openCommandDatabase } from "../command-database";
import { openDataDirectory } from "../data-directory";
import { hasBuiltInData, restoreInto } from "../restore-place";
import { restoreSecretOnly } from "../restore-secret";

export type RestoreValues = {
  "passphrase-file"?: string;
  replace?: boolean;
  yes?: boolean;
  check?: boolean;
  "secret-only"?: boolean;
};

const CONFIRMATION = "replace";

/** Reads the whole backup, then fills the database with it. Returns the exit code. */
export async function run(values: RestoreValues, [file = ""]: string[]): Promise<number> {
  const settings = env();
  try {
    const given = givenPassphrase(settings, values["passphrase-file"]);
    const backup = await verifyBackup(resolve(file), async () => given ?? (await askPassphrase()));
    print(backup);
    if (values["secret-only"]) return putSecretBack(settings, backup);
    await splitMigrations(backup.manifest);
    if (values.check) return 0;
    return await restore(settings, values, backup);
  } catch (error) {
    if (!(error instanceof BackupError)) throw error;
    console.error(error.message);
    return 1;
  }
}

function print({ manifest, secret, isEncrypted, tables, rows }: Backup): void {
  console.log(`whole: ${tables} tables, ${rows} rows, made ${manifest.madeAt} with PostgreSQL ${manifest.postgres}`);
  const logs = manifest.hasLogs ? "" : "; without the usage log";
  const withSecret = secret === null ? "without its secret" : "with its secret";
  console.log(`${isEncrypted ? "encrypted" : "not encrypted"}, ${withSecret}${logs}`);
}

function putSecretBack(settings: Env, backup: Backup): number {
  const dataDirectory = resolve(settings.WEIR_DATA_DIR);
  openDataDirectory(dataDirectory);
  console.log(restoreSecretOnly(settings, dataDirectory, backup, stampOf(new Date())));
  console.log("weir doctor tells whether it opens the database.");
  return 0;
}

/** For names of files that are kept. */
const stampOf = (date: Date): string => date.toISOString().replace(/\D/g, "").slice(0, 14);

async function restore(settings: Env, values: RestoreValues, backup: Backup): Promise<number> {
  const replaces = values.replace ?? false;
  if (replaces) await confirm(settings, values.yes ?? false);
  const stamp = stampOf(new Date());
  const report = await restoreInto({ settings, backup, replaces, stamp });
  console.log(
    `restored ${report.tables} tables with ${report.rows} rows; ${report.migrated} newer migrations applied; booked ${report.booked} charges that were not booked then, ${report.refused} were refused`,
  );
  if (replaces && settings.DATABASE_URL === undefined) {
    console.log(
      `the old database is kept in ${settings.WEIR_DATA_DIR}/postgres-replaced-${stamp}; delete it when you are done`,
    );
  }
  return checkBooks(settings);
}

async function confirm(settings: Env, isSaid: boolean): Promise<void> {
  if (isSaid) return;
  const place = settings.DATABASE_URL ? describeUrl(settings.DATABASE_URL) : settings.WEIR_DATA_DIR;
  if (settings.DATABASE_URL === undefined && !hasBuiltInData(settings)) return;
  if (!canAsk())
    throw new BackupError(`--replace deletes what is in ${place}. Without a terminal it needs --yes, too.`);
  const answer = await ask(`This replaces everything in ${place}. Type "${CONFIRMATION}" to go on: `);
  if (answer.trim() !== CONFIRMATION) throw new BackupError("Nothing was changed.");
}

/** Without the password. */
function describeUrl(url: string): string {
  const address = readDatabaseAddress(url, "DATABASE_URL");
  return `${describePlace(address)}/${address.database ?? ""}`;
}

async function checkBooks(settings: Env): Promise<number> {
  const { url, close } = await openCommandDatabase(settings);
  const { sql, end } = createDatabase({ url, max: 1, applicationName: "weir-reconcile" });
  try {
    const balances = await reconcile(sql);
    const hours = await reconcileHours(sql, [await readComparableHours(sql)]);
    const differences = [...balances.differences, ...hours.differences];
    for (const difference of differences) console.log(`DIFFERS ${JSON.stringify(difference)}`);
    console.log(`reconcile: ${differences.length} differences`);
    return differences.length === 0 ? 0 : 1;
  } finally {
    await end();
    await close();
  }
}
