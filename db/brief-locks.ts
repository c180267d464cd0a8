import { setTimeout as delay } from "node:timers/promises";
import { SQL_STATE, sqlStateOf } from "./sql-state";

/** Whoever comes after a statement that waits for a strong lock waits too, so it gives up after this time. */
export const LOCK_WAIT_MS = 100;
const TRIES = 8;
/** Between two tries, for those who queued meanwhile. */
const PAUSE_MS = 100;

/** Tries something that needs a lock for a moment. Null = the lock was held by others the whole time. */
export async function tryWhileLocked<Result>(run: () => Promise<Result>): Promise<Result | null> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (sqlStateOf(error) !== SQL_STATE.lockNotAvailable) throw error;
      if (attempt === TRIES) return null;
    }
    await delay(PAUSE_MS);
  }
}
