import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepareTemplate } from "@/lib/testing/database";
import { startEmbeddedPostgres } from "@/server/embedded-postgres";

const prefix = "weir-test-";

/** One PostgreSQL and one migrated template database for the whole run. TEST_DATABASE_URL selects another server. */
export default async function setup(): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) {
    await prepareTemplate(given);
    return async () => {};
  }
  removeLeftovers();
  const directory = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`));
  const server = await startEmbeddedPostgres({
    directory,
    // For speed: test data does not have to survive a power cut.
    settings: { fsync: "off", synchronous_commit: "off", full_page_writes: "off" },
  });
  process.env.TEST_DATABASE_URL = server.url;
  await prepareTemplate(server.url);
  return async () => {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  };
}

/** Removes the folders of killed runs, whose process no longer exists. */
function removeLeftovers(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length).split("-")[0]) : 0;
    if (pid > 0 && !isAlive(pid)) rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
