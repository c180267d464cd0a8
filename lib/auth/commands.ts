import { and, eq, inArray, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { rateCounters, users } from "@/db/schema";
import { isBcryptHash } from "@/lib/bcrypt";
import { hashPassword } from "@/lib/crypto";

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

/** Replaces the bcrypt hash of an imported account by one of Weir's own, once its password is known to be right. */
export async function renewPasswordHash(
  db: Database,
  id: number,
  stored: string | null,
  password: string,
): Promise<void> {
  if (stored === null || !isBcryptHash(stored)) return;
  const passwordHash = await hashPassword(password);
  await db
    .update(users)
    .set({ passwordHash })
    .where(and(eq(users.id, id), eq(users.passwordHash, stored)));
}
