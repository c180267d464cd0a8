import { AppError } from "@/lib/errors";
import { pause, type Timers, within } from "./timers";

export type LeasePatience = {
  /**
   * Makes attempts until one succeeds, for `retryMs` after the first that failed. Rejects with "unavailable" after that, when an
   * error does not pass, when too many wait already, or when the database says nothing. `undo`: for what came too late.
   */
  ask<T>(attempt: () => Promise<T>, mayPass: (error: unknown) => boolean, undo: (late: T) => void): Promise<T>;
};

const RETRY_EVERY_MS = 100;
/** More requests than this do not wait for a database that is away: each of them holds its body in memory. */
const RETRYING_MAX = 500;
/** A database that says nothing for this long is no better than one that is away, whatever its connections wait for. */
const SILENCE_MS = 4_000;

/** How long a request waits for a database in trouble. */
export function createLeasePatience(timers: Timers, retryMs: number): LeasePatience {
  let retrying = 0;

  async function again<T>(attempt: () => Promise<T>, mayPass: (error: unknown) => boolean): Promise<T> {
    const until = timers.now() + retryMs;
    for (;;) {
      await pause(timers, RETRY_EVERY_MS);
      try {
        return await attempt();
      } catch (error) {
        if (timers.now() >= until || !mayPass(error)) throw error;
      }
    }
  }

  async function tryOften<T>(attempt: () => Promise<T>, mayPass: (error: unknown) => boolean): Promise<T> {
    try {
      return await attempt();
    } catch (error) {
      if (retryMs === 0 || retrying >= RETRYING_MAX || !mayPass(error)) throw error;
    }
    retrying += 1;
    try {
      return await again(attempt, mayPass);
    } finally {
      retrying -= 1;
    }
  }

  return {
    async ask(attempt, mayPass, undo) {
      let isOver = false;
      const asked = tryOften(attempt, (error) => !isOver && mayPass(error));
      try {
        return await within(timers, retryMs + SILENCE_MS, asked);
      } catch (error) {
        isOver = true;
        asked.then(undo, () => {});
        throw away(error);
      }
    },
  };
}

export function away(error: unknown): AppError {
  return new AppError("unavailable", "databaseAway", {}, error);
}
