import { createDatabase, type DatabaseHandle } from "@/db/client";
import { isUnreachable } from "@/db/trouble";
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

/** SQLSTATEs of a server that is starting or stopping, and of a pooler that does not reach it. */
const CHANGING = new Set(["57P01", "57P02", "57P03", "08000", "08003", "08006", "08P01"]);

/** Whether a call failed because the database is unreachable. */
export function isDatabaseAway(error: unknown): boolean {
  // An AppError has another cause, e.g. an upstream that refuses connections.
  if (error instanceof AppError) return false;
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return isUnreachable(cause) || (cause instanceof Error && "code" in cause && CHANGING.has(String(cause.code)));
}
