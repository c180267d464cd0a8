import type { Sql } from "@/db/client";
import { hasLogStore } from "@/lib/env";
import { moveOutboxToLog } from "@/lib/log-store/outbox-commands";

/** A log store to which nothing is sent: charges go to the outbox. */
export const UNUSED_LOG_STORE = "clickhouse://127.0.0.1:1/weir";

/**
 * What a test reads of the log as if there were no log store: what is on its way to one is put into usage_logs before.
 * So a suite says the same with and without one.
 */
export async function readingLog<Result>(sql: Sql, read: () => Promise<Result>): Promise<Result> {
  if (!hasLogStore()) return read();
  const url = process.env.LOG_STORE_URL;
  process.env.LOG_STORE_URL = "";
  try {
    await moveOutboxToLog(sql);
    return await read();
  } finally {
    process.env.LOG_STORE_URL = url;
  }
}
