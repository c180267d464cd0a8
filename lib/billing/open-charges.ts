import type { TransactionSql } from "postgres";
import type { Sql } from "@/db/client";
import type { AppliedCharge } from "./billing-store";
import { costedUsage, describeRejected } from "./bound-usage";
import { type CostRow, costUsage } from "./cost";
import type { LeaseBook } from "./lease";
import { priceUsage } from "./price";
import { NO_QUOTA } from "./quota";
import { bookSettlements } from "./settlement-batch";
import { encodeSettlement, parseSettlementRow } from "./settlement-row";
import type { BilledUsage, PriceRow, Reservation, Settlement, UpstreamObject } from "./types";

/** What an upstream works on without us. */
export type OpenKind = "response" | "batch";

/** What decides the charge at the end. */
export type OpenTerms = {
  price: PriceRow;
  /** Null = unknown. */
  cost: CostRow | null;
  /** What the prompt has by its length, for an upstream that reports nothing. */
  promptTokens: number;
  /** The most that can be true. */
  promptTokensMax: number;
  completionTokensMax: number;
  /** What streams have passed on of it, and how many of them run, as far as it has no end yet. */
  passedTokens?: number;
  streams?: number;
};

export type OpenCharge = {
  requestId: string;
  userId: number;
  kind: OpenKind;
  objectId: string;
  channelId: number;
  keyHash: string;
  model: string;
  terms: OpenTerms;
  createdAt: number;
};

export type Opening = {
  kind: OpenKind;
  objectId: string;
  keyHash: string;
  /** With nothing used, and the reservation that is kept. */
  settlement: Settlement & { reservation: Reservation };
  terms: OpenTerms;
  objects: readonly UpstreamObject[];
  /** Until then the upstream is asked. */
  lifetimeSeconds: number;
};

type OpenNeeds = { sql: Sql; nodeId: string; leaseBook: Pick<LeaseBook, "settleAt" | "applied"> };

/** The first question comes soon: most answers in the background take seconds. */
const FIRST_POLL_SECONDS = 5;

/**
 * Keeps a charge open until the upstream is done: its reservation moves from this process to the database, together with
 * what the upstream keeps, in one transaction. Rejects when the database does not take it; then nothing has changed.
 */
export async function openCharge({ sql, nodeId, leaseBook }: OpenNeeds, opening: Opening): Promise<void> {
  const { settlement, kind, objectId, keyHash, terms, objects, lifetimeSeconds } = opening;
  const { reservation, createdAt, userId } = settlement;
  const limitedTokenId = reservation.tokenId ?? 0;
  const reserved = reservation.amount;
  const { json } = encodeSettlement({ ...settlement, quota: NO_QUOTA, objects: undefined });
  const charges = await sql.begin(async (tx) => {
    const ofUser = await moveReserved(tx, nodeId, { userId, tokenId: 0 }, reserved);
    const ofToken =
      limitedTokenId > 0 ? [await moveReserved(tx, nodeId, { userId, tokenId: limitedTokenId }, reserved)] : [];
    await tx`
      insert into open_charges (request_id, user_id, token_id, limited_token_id, reserved, kind, object_id, channel_id,
        key_hash, settlement, terms, created_at, next_poll_at, ends_before)
      values (${settlement.requestId}, ${userId}, ${settlement.tokenId}, ${limitedTokenId}, ${reserved}, ${kind},
        ${objectId}, ${settlement.channelId}, ${keyHash}, ${json}::text::jsonb, ${JSON.stringify(terms)}::text::jsonb,
        ${createdAt}, ${createdAt + FIRST_POLL_SECONDS}, ${createdAt + lifetimeSeconds})`;
    for (const object of objects) await keepObject(tx, settlement, object);
    return [ofUser, ...ofToken];
  });
  // For this process it is as if the reserved amount had been charged: its part of the balance is gone.
  leaseBook.settleAt(reservation, reserved);
  leaseBook.applied(charges, [reservation]);
}

/** Takes what is reserved out of the lease of this process. A process that was swept meanwhile has none any more. */
async function moveReserved(
  tx: TransactionSql,
  nodeId: string,
  { userId, tokenId }: { userId: number; tokenId: number },
  amount: number,
): Promise<AppliedCharge> {
  // The same order of locks as in book-settlements.sql.
  const [balance] =
    tokenId === 0
      ? await tx<{ left: number }[]>`select quota as "left" from users where id = ${userId} for no key update`
      : await tx<
          { left: number }[]
        >`select remain_quota as "left" from tokens where id = ${tokenId} and user_id = ${userId} for no key update`;
  const [lease] = await tx<{ dropped: number }[]>`
    with held as (
      select amount from leases
      where node_id = ${nodeId} and user_id = ${userId} and token_id = ${tokenId} for no key update)
    update leases set amount = leases.amount - least(held.amount, ${amount}::bigint) from held
    where node_id = ${nodeId} and user_id = ${userId} and token_id = ${tokenId}
    returning least(held.amount, ${amount}::bigint) as dropped`;
  const dropped = lease?.dropped ?? 0;
  if (dropped < amount) await addReserved(tx, { userId, tokenId }, amount - dropped);
  return { userId, tokenId, dropped, left: balance?.left ?? 0 };
}

async function addReserved(
  tx: TransactionSql,
  { userId, tokenId }: { userId: number; tokenId: number },
  amount: number,
): Promise<void> {
  if (tokenId === 0) await tx`update users set reserved = reserved + ${amount} where id = ${userId}`;
  else await tx`update tokens set reserved = reserved + ${amount} where id = ${tokenId} and user_id = ${userId}`;
}

async function keepObject(
  tx: TransactionSql,
  { userId, tokenId, createdAt }: Pick<Settlement, "userId" | "tokenId" | "createdAt">,
  object: UpstreamObject,
): Promise<void> {
  const { kind, id, channelId, keyHash, lifetimeSeconds } = object;
  await tx`
    insert into upstream_objects (user_id, kind, object_id, channel_id, key_hash, created_at, expires_at, token_id)
    values (${userId}, ${kind}, ${id}, ${channelId}, ${keyHash}, ${createdAt}, ${createdAt + lifetimeSeconds}, ${tokenId})
    on conflict (user_id, kind, object_id) do update set channel_id = excluded.channel_id, key_hash = excluded.key_hash,
      created_at = excluded.created_at, expires_at = excluded.expires_at, token_id = excluded.token_id,
      tokens = excluded.tokens`;
}

/** What a request reads that builds on it, as far as that is known at its end. */
async function noteTokens(tx: TransactionSql, { userId, objectId }: DeletedRow, usage: BilledUsage): Promise<void> {
  const { promptTokens, completionTokens } = costedUsage(usage);
  const tokens = Math.min(2 ** 31 - 1, promptTokens + completionTokens);
  await tx`
    update upstream_objects set tokens = ${tokens}
    where user_id = ${userId} and kind = 'response' and object_id = ${objectId}`;
}

/** How it ended. `usage`: null = nobody can tell, so that nothing is charged and its cost is not known. */
export type OpenEnd = { usage: BilledUsage | null; note: string; other?: Readonly<Record<string, unknown>> };

type DeletedRow = {
  settlement: string;
  userId: number;
  kind: OpenKind;
  objectId: string;
  limitedTokenId: number;
  reserved: number;
  createdAt: number;
};

/**
 * Books the charge, once whoever asks and however often: the open charge is deleted in the transaction that books it.
 * False = it had ended before.
 */
export async function endCharge(
  sql: Sql,
  { requestId, userId, terms }: Pick<OpenCharge, "requestId" | "userId" | "terms">,
  end: OpenEnd,
): Promise<boolean> {
  return sql.begin(async (tx) => {
    const [row] = await tx<DeletedRow[]>`
      delete from open_charges where request_id = ${requestId} and user_id = ${userId}
      returning settlement::text as settlement, user_id as "userId", kind, object_id as "objectId", limited_token_id as "limitedTokenId", reserved,
        created_at as "createdAt"`;
    if (!row) return false;
    const booked = parseSettlementRow(JSON.stringify(closed(row, terms, end)));
    if (!booked) throw new Error(`the open charge ${requestId} cannot be read`);
    await bookSettlements(tx, null, [booked]);
    const { usage } = end;
    if (row.kind === "response" && usage && (!usage.estimated || usage.rejected)) await noteTokens(tx, row, usage);
    await addReserved(tx, { userId: row.userId, tokenId: 0 }, -row.reserved);
    if (row.limitedTokenId > 0)
      await addReserved(tx, { userId: row.userId, tokenId: row.limitedTokenId }, -row.reserved);
    return true;
  });
}

/** The row of the log. */
function closed(row: DeletedRow, { price, cost }: OpenTerms, { usage, note, other }: OpenEnd): Record<string, unknown> {
  const settlement = JSON.parse(row.settlement) as Record<string, unknown> & { other?: Record<string, unknown> };
  const charge = usage ? priceUsage(usage, price) : { quota: NO_QUOTA, lines: [] };
  const costed = usage && cost ? costUsage(costedUsage(usage), cost) : null;
  const billed = usage?.rejected && cost ? costUsage(usage, cost).quota : costed?.quota;
  const isFree = usage !== null && usage.promptTokens + usage.completionTokens === 0 && !usage.meters;
  const known = isFree ? 0 : costed && !costed.unpriced ? costed.quota : null;
  const now = Math.floor(Date.now() / 1_000);
  return {
    ...settlement,
    created_at: now,
    quota: charge.quota,
    cost: known,
    unbilled_cost: known === null ? 0 : Math.max(0, known - (billed ?? known)),
    unknown_costs: known === null ? 1 : 0,
    prompt_tokens: usage?.promptTokens ?? 0,
    completion_tokens: usage?.completionTokens ?? 0,
    use_time_ms: Math.min(2 ** 31 - 1, Math.max(0, now - row.createdAt) * 1_000),
    content: note,
    other: {
      ...settlement.other,
      cache_tokens: usage?.cachedTokens ?? 0,
      lines: charge.lines,
      ...(charge.unpriced ? { unpriced: charge.unpriced } : {}),
      ...(usage?.estimated ? { estimated: true } : {}),
      ...(usage?.rejected ? { usage_rejected: describeRejected(usage.rejected) } : {}),
      ...(charge.quota > row.reserved ? { beyond_reservation: charge.quota - row.reserved } : {}),
      ...other,
    },
  };
}

const COLUMNS = (sql: Sql) => sql`
  request_id as "requestId", user_id as "userId", kind, object_id as "objectId", channel_id as "channelId",
  key_hash as "keyHash", settlement->>'model_name' as model, terms, created_at as "createdAt"`;

/** The open charge of what a user names; null = there is none, or it has ended. */
export async function findOpenCharge(
  sql: Sql,
  userId: number,
  kind: OpenKind,
  objectId: string,
): Promise<OpenCharge | null> {
  const rows = await sql<OpenCharge[]>`
    select ${COLUMNS(sql)} from open_charges
    where user_id = ${userId} and kind = ${kind} and object_id = ${objectId} limit 1`;
  return rows[0] ?? null;
}

/** A stream of what is not charged yet begins. False = it is charged. */
export async function beginPassing(sql: Sql, userId: number, responseId: string): Promise<boolean> {
  const { count } = await sql`
    update open_charges set terms = terms || jsonb_build_object('streams', coalesce((terms->>'streams')::int, 0) + 1)
    where user_id = ${userId} and kind = 'response' and object_id = ${responseId}`;
  return count > 0;
}

/** It has ended, and has passed on so much: after what others have (`isResumed`), or from the beginning. */
export async function endPassing(
  sql: Sql,
  { userId, id }: { userId: number; id: string },
  { tokens, isResumed }: { tokens: number; isResumed: boolean },
): Promise<void> {
  await sql`
    update open_charges set next_poll_at = least(next_poll_at, floor(extract(epoch from now()))::bigint),
      terms = terms || jsonb_build_object('streams', greatest(0, coalesce((terms->>'streams')::int, 0) - 1),
      'passedTokens', case when ${isResumed} then coalesce((terms->>'passedTokens')::bigint, 0) + ${tokens}::bigint
        else greatest(coalesce((terms->>'passedTokens')::bigint, 0), ${tokens}::bigint) end)
    where user_id = ${userId} and kind = 'response' and object_id = ${id}`;
}

/** How long to wait until the next question, in seconds: the longer, the longer it has taken already. */
const WAIT_MIN = 10;
const WAIT_MAX = 300;

/**
 * Those whose upstreams are to be asked now, and notes when they are to be asked again. `isLate`: their time is over.
 */
export async function takeDueCharges(sql: Sql, count: number): Promise<(OpenCharge & { isLate: boolean })[]> {
  return await sql<(OpenCharge & { isLate: boolean })[]>`
    with due as (
      select request_id, user_id from open_charges where next_poll_at <= extract(epoch from now())
      order by next_poll_at limit ${count} for update skip locked)
    update open_charges set next_poll_at = floor(extract(epoch from now()))::bigint
      + greatest(${WAIT_MIN}::bigint, least(${WAIT_MAX}::bigint, (extract(epoch from now())::bigint - created_at) / 4))
    from due where open_charges.request_id = due.request_id and open_charges.user_id = due.user_id
    returning open_charges.request_id as "requestId", open_charges.user_id as "userId", kind, object_id as "objectId",
      channel_id as "channelId", key_hash as "keyHash", settlement->>'model_name' as model, terms,
      created_at as "createdAt", ends_before <= extract(epoch from now()) as "isLate"`;
}
