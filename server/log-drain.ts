import { setTimeout as delay } from "node:timers/promises";
import type { Sql } from "@/db/client";
import { hasLogStore } from "@/lib/env";
import { JobLocks } from "@/lib/jobs/job-locks";
import { shipLogs } from "@/lib/jobs/ship-logs";
import { countWaitingRows } from "@/lib/log-store/outbox-queries";

/** As many rows wait in PostgreSQL at most, but for one batch. */
const WAITING_MAX = 200_000;
const LOOK_EVERY_ROWS = 50_000;
const PAUSE_MS = 1_000;
const PATIENCE_MS = 10 * 60_000;

/**
 * For an import into the log store: sends rows that wait there, or lets a running Weir's worker do it, whichever has the job's
 * lock. Undefined without a log store. Gives up when nothing was taken for ten minutes.
 */
export function createLogDrain(sql: Sql, tell: (text: string) => void): ((rows: number) => Promise<void>) | undefined {
  if (!hasLogStore()) return undefined;
  const locks = new JobLocks(sql);
  let unseen = 0;
  return async (rows) => {
    unseen += rows;
    if (unseen < LOOK_EVERY_ROWS) return;
    unseen = 0;
    let least = Number.POSITIVE_INFINITY;
    let changedAt = Date.now();
    for (let waiting = await countWaitingRows(sql); waiting > WAITING_MAX; waiting = await countWaitingRows(sql)) {
      if (waiting < least) [least, changedAt] = [waiting, Date.now()];
      if (Date.now() - changedAt > PATIENCE_MS)
        throw new Error(
          `The log store took nothing for ten minutes; ${waiting} rows of the log wait for it. When it is back, run this again: it goes on where it was.`,
        );
      const shipped = await locks
        .hold("log-shipping", () => shipLogs(sql))
        .catch((error: unknown) => {
          tell(`the log store: ${error instanceof Error ? error.message : String(error)}\n`);
          return null;
        });
      if (shipped === null) await delay(PAUSE_MS);
    }
  };
}
