import type { Sql } from "@/db/client";
import type { ObjectName } from "../canonical/upstream-object";

/** An object that an upstream keeps, and the account that has it. `tokens`: of the answer that it belongs to; null = not known. */
export type FoundObject = ObjectName & {
  channelId: number;
  keyHash: string;
  createdAt: number;
  tokens: number | null;
  /** Of a file; null = not known. */
  name: string | null;
  bytes: number | null;
};

/** Those of the objects that this user may name. */
export async function findObjects(sql: Sql, userId: number, names: readonly ObjectName[]): Promise<FoundObject[]> {
  const kinds = names.map(({ kind }) => kind);
  const ids = names.map(({ id }) => id);
  return await sql<FoundObject[]>`
    select kind, object_id as id, channel_id as "channelId", key_hash as "keyHash", created_at as "createdAt", tokens,
      details->'shown'->>'filename' as name, (details->'shown'->>'bytes')::float8 as bytes
    from unnest(${kinds}::text[], ${ids}::text[]) as wanted (wanted_kind, wanted_id)
    join upstream_objects on user_id = ${userId} and kind = wanted_kind and object_id = wanted_id
    where expires_at > extract(epoch from now())`;
}
