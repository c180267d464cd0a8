import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import type { Sql } from "@/db/client";
import { migrateDatabase } from "@/db/migrate";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "@/server/embedded-postgres";
import { FULL_SCALE, generateScale, runSummingJobs } from "./generate-scale";

/**
 * PostgreSQL as `npm start` runs it, with a full-size generated database of so many log rows in `directory`. The first run creates the
 * data, which takes some minutes; later runs reuse it and apply new migrations.
 */
export async function startScaleDatabase(
  directory: string,
  logs: number,
  say: (text: string) => void,
): Promise<EmbeddedPostgres> {
  const finished = join(directory, "finished");
  if (existsSync(directory) && !existsSync(finished)) rmSync(directory, { recursive: true });
  mkdirSync(directory, { recursive: true });
  // When this runs as root, PostgreSQL runs under another account that must be able to reach its directory.
  chmodSync(directory, 0o711);
  const postgres = await startEmbeddedPostgres({ directory: join(directory, "postgres") });
  if (existsSync(finished)) {
    await migrateDatabase(postgres.url);
    return postgres;
  }
  const startedAt = performance.now();
  const seconds = () => ((performance.now() - startedAt) / 1000).toFixed(0);
  try {
    await generateScale(postgres.url, { ...FULL_SCALE, logs }, (text) => say(`${seconds()} s: ${text}`));
  } catch (error) {
    await postgres.stop();
    throw error;
  }
  say(`made in ${seconds()} s`);
  writeFileSync(finished, "");
  return postgres;
}

/** Runs the jobs that the worker would have run since the last use of the database. */
export async function catchUp(sql: Sql): Promise<void> {
  await runSummingJobs(sql, () => {});
}
