import type { Sql } from "@/db/client";

const BATCH = 10_000;

/** Forgets what upstreams do not keep any longer, some rows at a time; returns how many. */
export async function sweepObjects(sql: Sql, batch = BATCH): Promise<number> {
  for (let sum = 0; ; ) {
    const { count } = await sql`
      delete from upstream_objects where ctid = any(array(
        select ctid from upstream_objects where expires_at <= extract(epoch from now()) limit ${batch}))`;
    sum += count;
    if (count < batch) return sum;
  }
}
