import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { BackupError } from "@/lib/backup/backup-error";
import type { Backup } from "@/lib/backup/read-backup";
import { type RestoreReport, restoreDatabase } from "@/lib/backup/restore-commands";
import { directUrlOf, type Env } from "@/lib/env";
import { lockDataDirectory, openDataDirectory, unfinishedRestore } from "./data-directory";
import { startEmbeddedPostgres } from "./embedded-postgres";
import { planSecret, type SecretChange, writeSecret } from "./restore-secret";

type Place = { settings: Env; backup: Backup; replaces: boolean; stamp: string };

/** Whether something is there that a restore would replace. */
export function hasBuiltInData(settings: Env): boolean {
  return existsSync(join(resolve(settings.WEIR_DATA_DIR), "postgres"));
}

/** Throws BackupError; nothing was changed then, unless the message says so. */
export async function restoreInto(place: Place): Promise<RestoreReport> {
  const { settings, backup, replaces } = place;
  const dataDirectory = resolve(settings.WEIR_DATA_DIR);
  const change = planSecret(settings, dataDirectory, backup, replaces);
  openDataDirectory(dataDirectory, { isRestore: true });
  const unlock = await lockDataDirectory(dataDirectory);
  try {
    const url = directUrlOf(settings);
    return await (url ? restoreOwn(place, dataDirectory, url, change) : restoreBuiltIn(place, dataDirectory, change));
  } finally {
    unlock();
  }
}

/** Secret and database belong together. While this file is there Weir does not start. */
async function finishWith(dataDirectory: string, finish: () => void): Promise<void> {
  const marker = unfinishedRestore(dataDirectory);
  writeFileSync(marker, "", { mode: 0o600, flush: true });
  finish();
}

async function restoreOwn(
  { backup, replaces, settings, stamp }: Place,
  dataDirectory: string,
  url: string,
  change: SecretChange,
): Promise<RestoreReport> {
  const marker = unfinishedRestore(dataDirectory);
  const isRepeated = existsSync(marker);
  let report: RestoreReport;
  try {
    report = await restoreDatabase({
      url,
      parts: backup.parts(),
      replaces,
      beforeCommit: () => finishWith(dataDirectory, () => {}),
    });
  } catch (error) {
    // The connection may have broken after the commit was sent: only PostgreSQL's own refusal means that it did not happen.
    if (!isRepeated && existsSync(marker) && isRefusal(error)) rmSync(marker);
    throw error;
  }
  writeSecret(change, stamp);
  setJournalsAside(settings, dataDirectory, stamp);
  rmSync(marker, { force: true });
  return report;
}

function isRefusal(error: unknown): boolean {
  return error instanceof BackupError || (error as { name?: string }).name === "PostgresError";
}

/** A new cluster is filled beside the old one and takes its place when all of it is there. The old one is kept. */
async function restoreBuiltIn(
  { backup, replaces, settings, stamp }: Place,
  dataDirectory: string,
  change: SecretChange,
): Promise<RestoreReport> {
  const directory = join(dataDirectory, "postgres");
  if (existsSync(directory) && !replaces) {
    throw new BackupError(`There is a database in ${dataDirectory}. Use --replace, or another WEIR_DATA_DIR.`);
  }
  // A killed supervisor leaves its database running.
  if (existsSync(join(directory, "data", "postmaster.pid"))) await (await startEmbeddedPostgres({ directory })).stop();
  const fresh = join(dataDirectory, `postgres-restored-${stamp}`);
  let report: RestoreReport;
  try {
    const server = await startEmbeddedPostgres({ directory: fresh, settings: { max_wal_size: "2GB" } });
    try {
      report = await restoreDatabase({
        url: server.url,
        parts: backup.parts(),
        replaces: false,
        beforeCommit: async () => {},
      });
    } finally {
      await server.stop();
    }
  } catch (error) {
    removeCluster(fresh);
    throw error;
  }
  await finishWith(dataDirectory, () => {
    if (existsSync(directory)) renameSync(directory, join(dataDirectory, `postgres-replaced-${stamp}`));
    renameSync(fresh, directory);
    writeSecret(change, stamp);
    setJournalsAside(settings, dataDirectory, stamp);
  });
  rmSync(unfinishedRestore(dataDirectory), { force: true });
  return report;
}

/** As root the data is behind a link to a folder that PostgreSQL's account can reach. */
function removeCluster(directory: string): void {
  const data = join(directory, "data");
  if (existsSync(data))
    for (const name of readdirSync(data)) rmSync(join(data, name), { recursive: true, force: true });
  rmSync(directory, { recursive: true, force: true });
}

/** Their charges were made after the backup, or by another Weir. */
function setJournalsAside(settings: Env, dataDirectory: string, stamp: string): void {
  const directory = resolve(settings.WEIR_JOURNAL_DIR ?? join(dataDirectory, "journal"));
  if (!existsSync(directory)) return;
  const names = readdirSync(directory).filter((name) => !name.startsWith("replaced-"));
  if (names.length === 0) return;
  const aside = join(directory, `replaced-${stamp}`);
  mkdirSync(aside, { mode: 0o700 });
  for (const name of names) renameSync(join(directory, name), join(aside, name));
}
