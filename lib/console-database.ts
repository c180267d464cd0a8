import { createDatabase, type DatabaseHandle } from "@/db/client";
import { env } from "./env";
import { AppError } from "./errors";

/** A page or an API call that takes longer than this is cancelled, so that it cannot hold up the database. */
const STATEMENT_TIMEOUT_MS = 15_000;
const POOL_SIZE = 10;

const holder = globalThis as typeof globalThis & { weirConsoleDatabase?: DatabaseHandle };

/** The console's own pool. On globalThis because pages and route handlers are bundled apart and would each open one. */
export function consoleDatabase(): DatabaseHandle {
  if (!holder.weirConsoleDatabase) {
    const url = env().DATABASE_URL;
    if (!url) throw new Error("DATABASE_URL is not set");
    holder.weirConsoleDatabase = createDatabase({
      url,
      max: POOL_SIZE,
      applicationName: "weir-console",
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      isForSearches: true,
    });
  }
  return holder.weirConsoleDatabase;
}

/** What the driver and PostgreSQL say when there is no server to talk to, or it is going down or coming up. */
const AWAY = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOTFOUND",
  "CONNECT_TIMEOUT",
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
  "57P01",
  "57P02",
  "57P03",
]);

/** Whether a call failed because the database cannot be reached at all. */
export function isDatabaseAway(error: unknown): boolean {
  // Said already what it is: an upstream that refuses connections is not the database.
  if (error instanceof AppError) return false;
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return typeof cause === "object" && cause !== null && "code" in cause && AWAY.has(String(cause.code));
}
