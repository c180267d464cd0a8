import type { Sql } from "@/db/client";
import type { ObjectName } from "../../wire/canonical/upstream-object";

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

/**
 * Whose objects and tasks a caller may name. `tokenId`: a key with limits of its own, which reaches nothing but what it made;
 * null = everything of the user.
 */
export type Owner = { userId: number; tokenId: number | null };

type Limited = { id: number; modelLimitsEnabled: boolean; operations: ReadonlySet<string> };

export function ownerOf({ user, token }: { user: { id: number }; token: Limited }): Owner {
  const isLimited = token.modelLimitsEnabled || token.operations.size > 0;
  return { userId: user.id, tokenId: isLimited ? token.id : null };
}

/** The condition on the column token_id. */
export function madeBy(sql: Sql, { tokenId }: Owner) {
  return tokenId === null ? sql`` : sql`and token_id = ${tokenId}`;
}

/** Those of the objects that this caller may name. */
export async function findObjects(sql: Sql, owner: Owner, names: readonly ObjectName[]): Promise<FoundObject[]> {
  const { userId } = owner;
  const kinds = names.map(({ kind }) => kind);
  const ids = names.map(({ id }) => id);
  return await sql<FoundObject[]>`
    select kind, object_id as id, channel_id as "channelId", key_hash as "keyHash", created_at as "createdAt", tokens,
      details->'shown'->>'filename' as name, (details->'shown'->>'bytes')::float8 as bytes
    from unnest(${kinds}::text[], ${ids}::text[]) as wanted (wanted_kind, wanted_id)
    join upstream_objects on user_id = ${userId} and kind = wanted_kind and object_id = wanted_id
    where expires_at > extract(epoch from now()) ${madeBy(sql, owner)}`;
}
