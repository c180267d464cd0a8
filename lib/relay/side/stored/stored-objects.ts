import type { Sql } from "@/db/client";
import { madeBy, type Owner } from "../../base/upstream-objects/queries";
import { type Json, readText } from "../../wire/canonical/json";
import type { Account } from "./account";

/** What a user has at upstreams, as lists show it. `batch`: what a file of requests consists of. `ofBatch`: whose answers it has. */
export type StoredDetails = { shown: Json; batch?: Json; ofBatch?: string };
export type StoredKept = { kind: "file" | "batch"; id: string; details: StoredDetails };

/** Until then an object without an end of its own is known. */
const FOR_GOOD_SECONDS = 100 * 365 * 86_400;

/** `json`: the object as its upstream gave it. */
export function lifetimeOf({ expires_at }: Json, now: number): number {
  return typeof expires_at === "number" && expires_at > now ? expires_at - now : FOR_GOOD_SECONDS;
}

/**
 * Notes an object; one that is known gets the new details. `tokenId`: the key that made it; absent = the key that made the batch whose
 * answers it has.
 */
export async function noteObject(
  sql: Sql,
  { userId, tokenId }: { userId: number; tokenId?: number },
  { channelId, keyHash }: { channelId: number; keyHash: string },
  { kind, id, details }: StoredKept,
): Promise<void> {
  const now = Math.floor(Date.now() / 1_000);
  const expiresAt = now + lifetimeOf(details.shown, now);
  const maker = sql`coalesce(${tokenId ?? null}::int, (select token_id from upstream_objects
    where user_id = ${userId} and kind = 'batch' and object_id = ${details.ofBatch ?? ""}))`;
  await sql`
    insert into upstream_objects (user_id, kind, object_id, channel_id, key_hash, created_at, expires_at, details, token_id)
    values (${userId}, ${kind}, ${id}, ${channelId}, ${keyHash}, ${now}, ${expiresAt},
      ${JSON.stringify(details)}::text::jsonb, ${maker})
    on conflict (user_id, kind, object_id) do update set details = excluded.details, channel_id = excluded.channel_id,
      key_hash = excluded.key_hash`;
}

/** Shows from now on what an upstream says of an object; what it is not known of changes nothing. */
export async function refreshObject(sql: Sql, userId: number, kind: "file" | "batch", shown: Json): Promise<void> {
  await sql`
    update upstream_objects set details = details || ${JSON.stringify({ shown })}::text::jsonb
    where user_id = ${userId} and kind = ${kind} and object_id = ${readText(shown.id)}`;
}

export async function detailsOf(
  sql: Sql,
  userId: number,
  kind: "file" | "batch",
  id: string,
): Promise<StoredDetails | null> {
  const [row] = await sql<{ details: StoredDetails | null }[]>`
    select details from upstream_objects where user_id = ${userId} and kind = ${kind} and object_id = ${id}`;
  return row?.details ?? null;
}

export type ListQuery = { limit: number; after: string; isAscending: boolean; purpose: string };

/** One more than `limit`, so that it shows whether there are others. */
export async function listObjects(
  sql: Sql,
  owner: Owner,
  kind: "file" | "batch",
  { limit, after, isAscending, purpose }: ListQuery,
): Promise<Json[]> {
  const { userId } = owner;
  const ofPurpose = purpose === "" ? sql`` : sql`and details->'shown'->>'purpose' = ${purpose}`;
  const from =
    after === ""
      ? sql``
      : sql`and (created_at, object_id) ${isAscending ? sql`>` : sql`<`} (
          select created_at, object_id from upstream_objects
          where user_id = ${userId} and kind = ${kind} and object_id = ${after})`;
  const order = isAscending ? sql`created_at, object_id` : sql`created_at desc, object_id desc`;
  const rows = await sql<{ shown: Json }[]>`
    select details->'shown' as shown from upstream_objects
    where user_id = ${userId} and kind = ${kind} and details is not null
      and expires_at > extract(epoch from now()) ${ofPurpose} ${from} ${madeBy(sql, owner)}
    order by ${order} limit ${limit + 1}`;
  return rows.map(({ shown }) => shown);
}

/** How many files a user has, and the account that took the last one. */
export async function filesOf(sql: Sql, userId: number): Promise<{ count: number; last: Place | null }> {
  const [row] = await sql<{ count: number; channelId: number | null; keyHash: string | null }[]>`
    select count(*)::int as count, (array_agg(channel_id order by created_at desc))[1] as "channelId",
      (array_agg(key_hash order by created_at desc))[1] as "keyHash"
    from upstream_objects where user_id = ${userId} and kind = 'file' and expires_at > extract(epoch from now())`;
  const { count = 0, channelId = null, keyHash = null } = row ?? {};
  return { count, last: channelId !== null && keyHash !== null ? { channelId, keyHash } : null };
}

type Place = { channelId: number; keyHash: string };

export function placeOf({ channel, key }: Account, hash: (text: string) => string): Place {
  return { channelId: channel.id, keyHash: hash(key) };
}
