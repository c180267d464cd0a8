import { createDatabase, type DatabaseHandle } from "@/db/client";
import { isServerAway } from "@/db/trouble";
import { env } from "./env";
import { AppError } from "./errors";

/** Longer queries of pages and API calls are cancelled, so that they cannot block the database. */
const STATEMENT_TIMEOUT_MS = 15_000;
const POOL_SIZE = 10;

const holder = globalThis as typeof globalThis & { weirConsoleDatabase?: DatabaseHandle };

/**
 * The console's connection pool. Kept on globalThis because pages and route handlers are bundled separately and each
 * bundle would open its own.
 */
export function consoleDatabase(): DatabaseHandle {
  if (!holder.weirConsoleDatabase) {
    const { DATABASE_URL: url, DATABASE_DIRECT_URL: directUrl } = env();
    if (!url) throw new Error("DATABASE_URL is not set");
    holder.weirConsoleDatabase = createDatabase({
      url,
      directUrl,
      max: POOL_SIZE,
      applicationName: "weir-console",
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      isForSearches: true,
    });
  }
  return holder.weirConsoleDatabase;
}

/** Whether a call failed because the database cannot serve at the moment: away, starting, full, or taking no writes. */
export function isDatabaseAway(error: unknown): boolean {
  // An AppError has another cause, e.g. an upstream that refuses connections.
  return !(error instanceof AppError) && isServerAway(error);
}

/** What callers are told of it; any other error as it is. */
export function orDatabaseAway(thrown: unknown): unknown {
  return isDatabaseAway(thrown) ? new AppError("unavailable", "databaseAway", {}, thrown) : thrown;
}
