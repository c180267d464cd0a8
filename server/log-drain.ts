import { setTimeout as delay } from "node:timers/promises";
import type { Sql } from "@/db/client";
import { hasLogStore } from "@/lib/env";
import { JobLocks } from "@/lib/jobs/job-locks";
import { shipLogs } from "@/lib/jobs/ship-logs";
import { countWaitingRows } from "@/lib/log-store/outbox-queries";

/** `waitingMax`: as many rows wait in PostgreSQL at most, but for those of `lookEveryRows` and one batch. */
const LIMITS = { waitingMax: 200_000, lookEveryRows: 50_000, pauseMs: 1_000, patienceMs: 10 * 60_000 };

/**
 * For an import into the log store: sends rows that wait there, or lets a running Weir's worker do it, whichever has the job's
 * lock. Undefined without a log store. Gives up when nothing was taken for ten minutes.
 */
export function createLogDrain(
  sql: Sql,
  tell: (text: string) => void,
  { waitingMax, lookEveryRows, pauseMs, patienceMs }: typeof LIMITS = LIMITS,
): ((rows: number) => Promise<void>) | undefined {
  if (!hasLogStore()) return undefined;
  const locks = new JobLocks(sql);
  let unseen = 0;
  return async (rows) => {
    unseen += rows;
    if (unseen < lookEveryRows) return;
    unseen = 0;
    let least = Number.POSITIVE_INFINITY;
    let changedAt = Date.now();
    for (let waiting = await countWaitingRows(sql); waiting > waitingMax; waiting = await countWaitingRows(sql)) {
      if (waiting < least) [least, changedAt] = [waiting, Date.now()];
      if (Date.now() - changedAt > patienceMs)
        throw new Error(
          `The log store took nothing for ${Math.round(patienceMs / 60_000)} minutes; ${waiting} rows of the log wait for it. When it is back, run this again: it goes on where it was.`,
        );
      const shipped = await locks
        .hold("log-shipping", () => shipLogs(sql))
        .catch((error: unknown) => {
          tell(`the log store: ${error instanceof Error ? error.message : String(error)}\n`);
          return null;
        });
      if (shipped === null) await delay(pauseMs);
    }
  };
}
