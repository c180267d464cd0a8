import type { Sql } from "@/db/client";

/** How far the primary has written, and which cluster it is of. */
export async function readPrimary(sql: Sql): Promise<{ position: number; cluster: string }> {
  const [row] = await sql<{ position: number; cluster: string }[]>`
    select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint as position,
      (select system_identifier::text from pg_control_system()) || ':' || current_database() as cluster`;
  if (!row) throw new Error("the primary did not say how far it is");
  return row;
}

/** How far a replica has replayed, and which cluster it is of. `position`: null = it is no replica. */
export async function readReplica(sql: Sql): Promise<{ position: number | null; cluster: string }> {
  const [row] = await sql<{ position: number | null; cluster: string }[]>`
    select case when pg_is_in_recovery() then pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint end as position,
      (select system_identifier::text from pg_control_system()) || ':' || current_database() as cluster`;
  if (!row) throw new Error("the replica did not say how far it is");
  return row;
}

/** How far the primary had written when this user last changed something; 0 = never. Asked on the primary. */
export async function readLastWrite(sql: Sql, userId: number): Promise<number> {
  // A restored database can have positions of another cluster.
  const [row] = await sql<{ position: number }[]>`
    select position from last_writes
    where user_id = ${userId} and position <= pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')`;
  return row?.position ?? 0;
}
