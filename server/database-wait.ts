import { setTimeout as delay } from "node:timers/promises";
import { isServerAway } from "@/db/trouble";

export type DatabaseWait = {
  /** WEIR_DATABASE_WAIT_SECONDS; 0 = not at all. */
  seconds: number;
  tell: (message: string) => void;
  /** Ends the waiting. */
  signal?: AbortSignal;
};

const PAUSE_MS = { first: 200, most: 2_000 };
const TELL_EVERY_MS = 10_000;

/**
 * Does what needs the database, and does it again while that is starting, full, read-only or not there yet, which machines and
 * containers that start together see. Any other failure, e.g. a wrong password, ends it at once. `work` must be safe to repeat.
 */
export async function whenDatabaseServes<Result>(
  work: () => Promise<Result>,
  { seconds, tell, signal }: DatabaseWait,
): Promise<Result> {
  const startedAt = Date.now();
  const endsAt = startedAt + seconds * 1_000;
  let tellAt = 0;
  for (let pauseMs = PAUSE_MS.first; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MS.most)) {
    try {
      const result = await work();
      if (tellAt > 0) tell(`the database answers after ${secondsSince(startedAt)} s`);
      return result;
    } catch (error) {
      if (!isServerAway(error) || signal?.aborted) throw error;
      if (Date.now() + pauseMs > endsAt) throw tellAt > 0 ? waitedFor(error, secondsSince(startedAt)) : error;
      if (Date.now() >= tellAt) {
        tell(
          `${messageOf(error)} Waiting for it, up to ${seconds} s (WEIR_DATABASE_WAIT_SECONDS); ${secondsSince(startedAt)} s so far.`,
        );
        tellAt = Date.now() + TELL_EVERY_MS;
      }
      await delay(pauseMs, undefined, signal ? { signal } : {}).catch(() => {});
      if (signal?.aborted) throw error;
    }
  }
}

const secondsSince = (at: number): number => Math.round((Date.now() - at) / 1_000);

const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/([^.])$/, "$1.");

function waitedFor(error: unknown, seconds: number): Error {
  const advice = "WEIR_DATABASE_WAIT_SECONDS sets how long a start waits.";
  return new Error(`${messageOf(error)} It did not come within ${seconds} s; ${advice}`, { cause: error });
}
