import { AsyncLocalStorage } from "node:async_hooks";

/** What of the log is not in a result. */
export type Missing = {
  /** Unix seconds since when the log store cannot be read, so that what it has is missing; null = it can be read. */
  awaySince: number | null;
  /** Of what waits for the log store only so many rows, the newest, were read; null = all. */
  newestOnly: number | null;
};

/** `missing` null = the result is whole. */
type Available<Result> = { result: Result; missing: Missing | null };

type Reading = Missing & { waitingSince: number };

const holder = globalThis as typeof globalThis & { weirAvailableReading?: AsyncLocalStorage<Reading> };

/** Pages and routes are bundled apart and share the log store, and so this. */
function readings(): AsyncLocalStorage<Reading> {
  holder.weirAvailableReading ??= new AsyncLocalStorage<Reading>();
  return holder.weirAvailableReading;
}

/**
 * Reads the log for a person: while the log store cannot be read, what PostgreSQL has, and never more of that than a page can
 * wait for. What is missing must be said beside it. Without this a read fails then: programs, exports and sums that are kept
 * cannot be told that rows are missing.
 */
export async function readAvailable<Result>(read: () => Promise<Result>): Promise<Available<Result>> {
  const reading: Reading = { awaySince: null, newestOnly: null, waitingSince: Number.POSITIVE_INFINITY };
  const result = await readings().run(reading, read);
  const { awaySince, newestOnly, waitingSince } = reading;
  if (awaySince === null && newestOnly === null) return { result, missing: null };
  return { result, missing: { awaySince: awaySince && Math.min(awaySince, waitingSince), newestOnly } };
}

/** What is missing in any of several results. */
export function missingInAny(parts: readonly (Missing | null)[]): Missing | null {
  const known = parts.filter((part) => part !== null);
  if (known.length === 0) return null;
  const times = known.flatMap(({ awaySince }) => awaySince ?? []);
  const counts = known.flatMap(({ newestOnly }) => newestOnly ?? []);
  return {
    awaySince: times.length === 0 ? null : Math.min(...times),
    newestOnly: counts.length === 0 ? null : Math.min(...counts),
  };
}

/** Whether the read that is under way may lack rows. */
export function mayLackRows(): boolean {
  return readings().getStore() !== undefined;
}

/** The log store cannot be read since a time (unix seconds). */
export function noteAway(since: number): void {
  const reading = readings().getStore();
  if (reading) reading.awaySince = Math.min(reading.awaySince ?? since, since);
}

/** `since`: of the oldest row that waits, as the log store may be away for longer than this process knows. */
export function noteWaiting(since: number, newestOnly: number | null): void {
  const reading = readings().getStore();
  if (!reading) return;
  reading.waitingSince = Math.min(reading.waitingSince, since);
  reading.newestOnly = newestOnly ?? reading.newestOnly;
}
