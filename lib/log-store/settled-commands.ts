import type { Sql } from "@/db/client";
import { nowSeconds } from "@/lib/clock";

const DAY = 86_400;
const SLOTS = 4;
/** Around midnight clocks may disagree about the day. */
const EDGE_SECONDS = 3_600;
const LOCK_NOT_AVAILABLE = "55P03";

/**
 * Forgets the requests settled two to three days ago: empties the partition in which tomorrow's will be. What is older is in
 * the log store, where repeated settlements are looked up; so nothing is forgotten while the outbox still has rows of that
 * time. A backup that runs must not find the partition emptied. Resolves to whether it was.
 */
export async function forgetSettled(sql: Sql, now = nowSeconds()): Promise<boolean> {
  const today = Math.floor(now / DAY);
  if (now % DAY < EDGE_SECONDS || now % DAY > DAY - EDGE_SECONDS) return false;
  const table = `settled_requests_${(today + 1) % SLOTS}`;
  const [found] = await sql<{ any: boolean; keep: boolean }[]>`
    select exists (select from ${sql(table)}) as any,
      exists (select from log_outbox where created_at < ${now - DAY})
        or exists (select from pg_stat_activity where application_name like 'weir-backup%')
        or exists (select from ${sql(table)} where created_at >= ${(today - 1) * DAY}) as keep`;
  if (!found?.any || found.keep) return false;
  try {
    await sql.begin(async (tx) => {
      await tx`set local lock_timeout = '100ms'`;
      await tx`truncate ${tx(table)}`;
    });
    return true;
  } catch (error) {
    // Somebody reads it; the next run tries again.
    if (error instanceof Error && "code" in error && error.code === LOCK_NOT_AVAILABLE) return false;
    throw error;
  }
}
