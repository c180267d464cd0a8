import { eq, inArray, lt, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { rateCounters } from "@/db/schema";

/** Adds one to a counter that is reset when its window ends. Returns the count and the seconds until the reset. */
export async function incrementCounter(
  db: Database,
  key: string,
  windowSeconds: number,
): Promise<{ count: number; secondsLeft: number }> {
  const now = sql`floor(extract(epoch from clock_timestamp()))::bigint`;
  const expired = sql`${rateCounters.windowStart} <= ${now} - ${windowSeconds}::bigint`;
  const [row] = await db
    .insert(rateCounters)
    .values({ key, count: 1, windowStart: now })
    .onConflictDoUpdate({
      target: rateCounters.key,
      set: {
        count: sql`case when ${expired} then 1 else ${rateCounters.count} + 1 end`,
        windowStart: sql`case when ${expired} then ${now} else ${rateCounters.windowStart} end`,
      },
    })
    .returning({
      count: rateCounters.count,
      secondsLeft: sql<number>`(${rateCounters.windowStart} + ${windowSeconds}::bigint - ${now})::int`,
    });
  if (!row) throw new Error("counter row missing after upsert");
  return row;
}

/** Takes back one increment, e.g. when the attempt succeeded. */
export async function decrementCounter(db: Database, key: string): Promise<void> {
  await db
    .update(rateCounters)
    .set({ count: sql`greatest(${rateCounters.count} - 1, 0)` })
    .where(eq(rateCounters.key, key));
}

export async function clearCounters(db: Database, keys: string[]): Promise<void> {
  await db.delete(rateCounters).where(inArray(rateCounters.key, keys));
}

/** Removes counters whose window began more than `olderThanSeconds` ago. */
export async function sweepCounters(db: Database, olderThanSeconds: number): Promise<void> {
  await db
    .delete(rateCounters)
    .where(lt(rateCounters.windowStart, sql`floor(extract(epoch from now()))::bigint - ${olderThanSeconds}::bigint`));
}
