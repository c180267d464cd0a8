import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { directUrlOf, type Env } from "@/lib/env";
import { lockDataDirectory } from "./data-directory";
import { assertDatabaseAnswers } from "./database-answers";
import { type DatabaseWait, whenDatabaseServes } from "./database-wait";
import { startEmbeddedPostgres } from "./embedded-postgres";
import { portIfFree } from "./ports";

export type CommandDatabase = {
  url: string;
  /** Whether this command had to start the built-in database, that is, no Weir runs with it. */
  started: boolean;
  /** Stops the database again if this command started it. */
  close: () => Promise<void>;
};

const NO_WAIT: DatabaseWait = { seconds: 0, tell: () => {} };

/**
 * The database of this installation, for a command: DATABASE_URL if set, else the built-in one. That one is started
 * when no Weir runs with it; a Weir that is started meanwhile is refused. Throws when there is no data yet. A person who
 * waits for the answer of a command is told at once what is wrong, unless `wait` says otherwise.
 */
export async function openCommandDatabase(settings: Env, wait: DatabaseWait = NO_WAIT): Promise<CommandDatabase> {
  const url = directUrlOf(settings);
  if (url) {
    const name = settings.DATABASE_DIRECT_URL ? "DATABASE_DIRECT_URL" : "DATABASE_URL";
    await whenDatabaseServes(() => assertDatabaseAnswers(url, name), wait);
    return { url, started: false, close: async () => {} };
  }
  const dataDirectory = resolve(settings.WEIR_DATA_DIR);
  const directory = join(dataDirectory, "postgres");
  if (!existsSync(join(directory, "port"))) {
    throw new Error(
      `No data in ${settings.WEIR_DATA_DIR}. Set WEIR_DATA_DIR (the demo's is .data/demo) or DATABASE_URL.`,
    );
  }
  const port = Number(readFileSync(join(directory, "port"), "utf8"));
  if ((await portIfFree(port)) === null) {
    const password = readFileSync(join(directory, "password"), "utf8").trim();
    const url = `postgres://weir:${password}@127.0.0.1:${port}/postgres`;
    return { url, started: false, close: async () => {} };
  }
  const unlock = await lockDataDirectory(dataDirectory);
  try {
    const server = await startEmbeddedPostgres({ directory });
    return { url: server.url, started: true, close: () => server.stop().finally(unlock) };
  } catch (error) {
    unlock();
    throw error;
  }
}
