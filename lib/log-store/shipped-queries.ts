import { literals } from "./clickhouse/escape";
import { LOG_TABLE } from "./clickhouse/tables";
import { logStore } from "./store";

const DAY = 86_400;
/** settled_requests has what was settled since. */
export const SETTLED_KEPT_SECONDS = 2 * DAY;
const AT_ONCE = 500;

export type SettledKey = { requestId: string; createdAt: number };

/**
 * Which of these requests the log store has: their ids, and their ids with their times. For what is too old for
 * settled_requests. A note of a stream has another time than its settlement, which ended within a day of it.
 * `beforeId`: rows from this id on do not count.
 */
export async function findShipped(keys: readonly SettledKey[], beforeId?: number): Promise<Set<string>> {
  const store = logStore();
  const found = new Set<string>();
  if (!store) return found;
  for (let from = 0; from < keys.length; from += AT_ONCE) {
    const part = keys.slice(from, from + AT_ONCE);
    const times = part.map(({ createdAt }) => createdAt);
    // An old server takes a name that is given to a column for the column, also in a condition.
    const rows = await store.query<{ request: string; at: string | number }>(`
      select request_id as request, created_at as at from ${LOG_TABLE}
      where created_at >= ${Math.max(0, Math.min(...times) - DAY)} and created_at <= ${Math.max(...times) + DAY}
        and request_id in ${literals(part.map(({ requestId }) => requestId))}
        ${beforeId === undefined ? "" : `and id < ${Math.floor(beforeId)}`}`);
    for (const { request, at } of rows) found.add(request).add(keyOf({ requestId: request, createdAt: Number(at) }));
  }
  return found;
}

export function keyOf({ requestId, createdAt }: SettledKey): string {
  return `${requestId} ${createdAt}`;
}
