import type { Sql } from "@/db/client";

/** For so long a repeat gets the first answer. */
const KEPT_SECONDS = 86_400;
/** A user's keys within that time, and the bytes of their answers. */
const KEYS_MAX = 10_000;
const BYTES_MAX = 256 * 1_048_576;

export type ClaimedKey = { userId: number; tokenId: number; keyHash: string };

export type NewClaim = ClaimedKey & { bodyHash: string; requestId: string; nodeId: string };

export type StoredAnswer = { requestId: string; contentType: string; body: Buffer };

/** What is known of a key: this request is the first, or what became of the one that was. */
export type Claimed =
  | { state: "first" | "too many" | "running" | "other body" | "unstored" | "lost" }
  | { state: "answered"; answer: StoredAnswer };

type KeyRow = { state: string; bodyHash: string; isAlive: boolean } & StoredAnswer;

/** Claims a key for a request. Of several at once, in whatever processes, exactly one is the first. */
export async function claimKey(sql: Sql, claim: NewClaim): Promise<Claimed> {
  const { userId, tokenId, keyHash, bodyHash, requestId, nodeId } = claim;
  // A key that is older than a day is free again, whether the sweep has been there or not.
  const [made] = await sql<{ first: number; hasRoom: boolean }[]>`
    with used as (
      select count(*) < ${KEYS_MAX} and coalesce(sum(bytes), 0) < ${BYTES_MAX} as has_room
      from idempotency_keys where user_id = ${userId}),
    made as (
      insert into idempotency_keys as known (user_id, token_id, key_hash, body_hash, request_id, node_id)
      select ${userId}::int, ${tokenId}::int, ${keyHash}, ${bodyHash}, ${requestId}, ${nodeId}::uuid from used where has_room
      on conflict (user_id, token_id, key_hash) do update set body_hash = excluded.body_hash,
        request_id = excluded.request_id, node_id = excluded.node_id, state = 'running', body = ''::bytea, bytes = 0,
        created_at = excluded.created_at
      where known.created_at < extract(epoch from now())::bigint - ${KEPT_SECONDS}
      returning 1)
    select (select count(*) from made)::int as first, has_room as "hasRoom" from used`;
  if (made?.first === 1) return { state: "first" };
  const [row] = await sql<KeyRow[]>`
    select state, body_hash as "bodyHash", request_id as "requestId", content_type as "contentType", body,
      exists (select 1 from nodes where nodes.id = node_id) as "isAlive"
    from idempotency_keys where user_id = ${userId} and token_id = ${tokenId} and key_hash = ${keyHash}`;
  if (row) return readRow(row, bodyHash);
  // The first request failed between the two statements and gave the key back.
  return { state: made?.hasRoom === false ? "too many" : "running" };
}

function readRow({ state, bodyHash, isAlive, ...answer }: KeyRow, wanted: string): Claimed {
  if (bodyHash !== wanted) return { state: "other body" };
  if (state === "answered") return { state, answer };
  if (state === "unstored") return { state };
  return { state: isAlive ? "running" : "lost" };
}

/** Stores the answer of a key's request; null = there is none to store, but the key stays taken. */
export async function keepAnswer(
  sql: Sql,
  key: ClaimedKey,
  answer: Pick<StoredAnswer, "contentType" | "body"> | null,
): Promise<void> {
  const state = answer ? "answered" : "unstored";
  const { contentType, body } = answer ?? { contentType: "", body: Buffer.alloc(0) };
  await sql`
    update idempotency_keys set state = ${state}, content_type = ${contentType.slice(0, 255)}, body = ${body},
      bytes = ${body.length}
    where user_id = ${key.userId} and token_id = ${key.tokenId} and key_hash = ${key.keyHash}`;
}

/** Frees a key whose request cost nothing. */
export async function freeKey(sql: Sql, key: ClaimedKey): Promise<void> {
  await sql`
    delete from idempotency_keys
    where user_id = ${key.userId} and token_id = ${key.tokenId} and key_hash = ${key.keyHash}`;
}

/** Deletes keys older than a day; returns how many. */
export async function sweepKeys(sql: Sql): Promise<number> {
  const gone = await sql`
    delete from idempotency_keys where created_at < extract(epoch from now())::bigint - ${KEPT_SECONDS}`;
  return gone.count;
}
