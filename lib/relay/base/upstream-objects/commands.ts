import type { Sql } from "@/db/client";
import type { ObjectName } from "../../wire/canonical/upstream-object";

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

/** Forgets what its user has deleted at the upstream. */
export async function forgetObject(sql: Sql, userId: number, { kind, id }: ObjectName): Promise<void> {
  await sql`delete from upstream_objects where user_id = ${userId} and kind = ${kind} and object_id = ${id}`;
}
