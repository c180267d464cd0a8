import { randomUUID } from "node:crypto";
import type { Sql } from "@/db/client";

/** Users with a token each, some channels, and a process that holds a part of every balance. Resolves to its node. */
export async function fillForFlushes(sql: Sql, users: number, channels = 1): Promise<string> {
  await sql`insert into users (id, username, quota) select n, 'user ' || n, 5000000000000 from generate_series(1, ${users}) n`;
  await sql`
    insert into tokens (id, user_id, name, key_hash, key_cipher, key_hint, unlimited_quota)
    select n, n, 'token', 'hash ' || n, 'cipher', 'hint', true from generate_series(1, ${users}) n`;
  await sql`
    insert into channels (id, name, key_cipher, models)
    select n, 'bench', 'cipher', 'bench-model' from generate_series(1, ${channels}) n`;
  const nodeId = randomUUID();
  await sql`insert into nodes (id, name) values (${nodeId}, 'bench')`;
  await sql`insert into leases (node_id, user_id, amount) select ${nodeId}, n, 1000000000000 from generate_series(1, ${users}) n`;
  await sql`update users set reserved = 1000000000000`;
  return nodeId;
}

/** Bytes of the write-ahead log so far. */
export async function walPosition(sql: Sql): Promise<number> {
  const [row] = await sql<{ at: number }[]>`select (pg_current_wal_insert_lsn() - '0/0')::float8 as at`;
  return row?.at ?? Number.NaN;
}
