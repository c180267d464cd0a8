import { rmSync } from "node:fs";
import { prepareTemplate } from "@/lib/testing/database";
import { createRunFolder, removeLeftovers } from "@/lib/testing/run-folder";
import { startEmbeddedPostgres } from "@/server/embedded-postgres";

/** One PostgreSQL and one migrated template database for the whole run. TEST_DATABASE_URL selects another server. */
export default async function setup(): Promise<() => Promise<void>> {
  removeLeftovers();
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
    },
  });
  process.env.TEST_DATABASE_URL = server.url;
  await prepareTemplate(server.url);
  return async () => {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  };
}
