import { rmSync } from "node:fs";
import postgres from "postgres";
import type { TestProject } from "vitest/node";
import { prepareTemplate } from "@/lib/testing/database";
import { createBundleFolder, createRunFolder, removeLeftovers } from "@/lib/testing/run-folder";
import { startEmbeddedPostgres } from "@/server/embedded-postgres";

/**
 * One PostgreSQL, one migrated template database and one folder for the bundled server for the whole run.
 * TEST_DATABASE_URL selects another server.
 */
export default async function setup({ config }: TestProject): Promise<() => Promise<void>> {
  removeLeftovers();
  // While a person edits, each file bundles what is there now.
  const bundle = config.watch ? null : createBundleFolder("server");
  if (bundle) process.env.WEIR_TEST_BUNDLE = bundle;
  const stopServer = await startServer();
  return async () => {
    await stopServer();
    if (bundle) rmSync(bundle, { recursive: true, force: true });
  };
}

async function startServer(): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) {
    await prepareTemplate(given);
    return async () => {};
  }
  const directory = createRunFolder("postgres");
  const server = await startEmbeddedPostgres({
    directory,
    settings: {
      // For speed: test data does not have to survive a power cut.
      fsync: "off",
      synchronous_commit: "off",
      full_page_writes: "off",
      // Dropping a database looks through all buffers, and the log may be held in memory.
      shared_buffers: "128MB",
      max_wal_size: "256MB",
      scram_iterations: "1",
    },
  });
  await renewPassword(server.url);
  process.env.TEST_DATABASE_URL = server.url;
  await prepareTemplate(server.url);
  return async () => {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  };
}

/** Stores the account's password anew, with the iterations of the settings: the usual 4,096 take a client 3 ms for each connection. */
async function renewPassword(url: string): Promise<void> {
  const { username, password } = new URL(url);
  const sql = postgres(url, { max: 1 });
  await sql.unsafe(`ALTER ROLE ${username} PASSWORD '${password}'`);
  await sql.end();
}
