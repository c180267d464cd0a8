import type { Sql } from "@/db/client";

/** Requests with unknown keys of one address in one hour (unix seconds). */
export type UnknownKeyCount = { hour: number; address: string; count: number };

/** Adds to what is counted already. */
export async function addUnknownKeys(sql: Sql, counts: readonly UnknownKeyCount[]): Promise<void> {
  if (counts.length === 0) return;
  // In one order in all processes, so that none waits for another in a circle.
  const rows = [...counts].sort((a, b) => a.hour - b.hour || (a.address < b.address ? -1 : 1));
  await sql`
    insert into unknown_key_hours ${sql(rows)}
    on conflict (hour, address) do update set count = unknown_key_hours.count + excluded.count`;
}

const KEPT_SECONDS = 7 * 86_400;

/** Deletes counts that are too old; returns how many. */
export async function deleteOldUnknownKeys(sql: Sql, nowSeconds: number): Promise<number> {
  return (await sql`delete from unknown_key_hours where hour < ${nowSeconds - KEPT_SECONDS}`).count;
}
