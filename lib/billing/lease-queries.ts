import type { TransactionSql } from "postgres";
import type { Sql } from "@/db/client";
import { BALANCE_CHANNEL } from "./balance-notice";

/** Identifies a slice: of a user's balance (tokenId 0) or of a token's limit. */
export type LeaseKey = { userId: number; tokenId: number };

export type Ask = {
  /** What the first waiting request still needs; less than this is never granted. */
  needed: number;
  /** What all waiting requests still need together. */
  wanted: number;
  /** What the first waiting request would take of a balance that has twice as much. */
  whole: number;
  /** Extra quota to request in advance; granted only when much is available. */
  spare: number;
};

export type Grant = {
  /** False = this node is no longer registered and got nothing. */
  registered: boolean;
  /** The user's balance, or the remaining limit of a token; 0 when the row does not exist. */
  balance: number;
  /** Unreserved quota before this statement. */
  available: number;
  granted: number;
  /** Reserved by other processes. */
  elsewhere: number;
};

/** A slice is at most 1/16 of what is available, unless the waiting requests need more. */
const SLICE_PART = 16;
/** Stands for the remaining quota of a token that has become unlimited in the meantime. */
const UNLIMITED = 2 ** 50;

/**
 * Moves quota from the balance to `reserved` and to this node's lease. Locks are always taken in the order nodes,
 * users, tokens, channels, each by ascending id. The lock on the user's or token's row also protects its leases.
 */
export async function acquireSlice(sql: Sql, nodeId: string, key: LeaseKey, ask: Ask): Promise<Grant> {
  return sql.begin(async (tx) => {
    const [node] = await tx`select 1 from nodes where id = ${nodeId} for key share`;
    if (!node) return { registered: false, balance: 0, available: 0, granted: 0, elsewhere: 0 };
    const { balance, reserved, held } = await lockBalance(tx, nodeId, key);
    const available = balance - reserved;
    const granted = sliceOf(balance, available, ask);
    if (granted > 0) {
      await tx`
        with leased as (
          insert into leases as lease (node_id, user_id, token_id, amount)
          values (${nodeId}, ${key.userId}, ${key.tokenId}, ${granted})
          on conflict (node_id, user_id, token_id) do update set amount = lease.amount + excluded.amount)
        update ${tableOf(tx, key)} set reserved = reserved + ${granted} where id = ${rowOf(key)}`;
    }
    return { registered: true, balance, available, granted, elsewhere: reserved - held };
  });
}

function sliceOf(balance: number, available: number, { needed, wanted, whole, spare }: Ask): number {
  if (balance <= 0 || available < needed) return 0;
  const inPart = Math.min(wanted + spare, Math.floor(available / SLICE_PART));
  return Math.max(Math.min(wanted, available), Math.min(whole, Math.floor(available / 2)), inPart);
}

type LockedBalance = { balance: number; reserved: number; held: number };

/** Reads the lease in a separate statement, so that it sees the state after the lock was acquired. */
async function lockBalance(tx: TransactionSql, nodeId: string, key: LeaseKey): Promise<LockedBalance> {
  const [row] = await (key.tokenId === 0
    ? tx<LockedBalance[]>`select quota as balance, reserved from users where id = ${key.userId} for no key update`
    : tx<LockedBalance[]>`
        select case when unlimited_quota then ${UNLIMITED}::bigint else remain_quota end as balance, reserved
        from tokens where id = ${key.tokenId} for no key update`);
  const [lease] = await tx<{ amount: number }[]>`
    select amount from leases
    where node_id = ${nodeId} and user_id = ${key.userId} and token_id = ${key.tokenId}`;
  return { balance: row?.balance ?? 0, reserved: row?.reserved ?? 0, held: lease?.amount ?? 0 };
}

function tableOf(sql: Sql | TransactionSql, key: LeaseKey) {
  return key.tokenId === 0 ? sql`users` : sql`tokens`;
}

function rowOf(key: LeaseKey): number {
  return key.tokenId === 0 ? key.userId : key.tokenId;
}

/** Lowers this node's lease to at most `keep` and returns the rest to the balance; 0 deletes the lease. */
export async function trimLease(sql: Sql, nodeId: string, key: LeaseKey, keep: number): Promise<void> {
  await sql.begin(async (tx) => {
    const { held } = await lockBalance(tx, nodeId, key);
    if (held > keep) {
      await tx`update ${tableOf(tx, key)} set reserved = reserved - ${held - keep} where id = ${rowOf(key)}`;
    }
    const lease = tx`node_id = ${nodeId} and user_id = ${key.userId} and token_id = ${key.tokenId}`;
    if (keep === 0) await tx`delete from leases where ${lease}`;
    else if (held > keep) await tx`update leases set amount = ${keep} where ${lease}`;
  });
}

/** Registers the node or refreshes its heartbeat. False = it was not registered until now and holds no leases. */
export async function heartbeat(sql: Sql, nodeId: string, name: string): Promise<boolean> {
  const beaten = await sql`update nodes set heartbeat_at = now() where id = ${nodeId} returning 1`;
  if (beaten.length > 0) return true;
  await sql`insert into nodes (id, name) values (${nodeId}, ${name}) on conflict (id) do update set heartbeat_at = now()`;
  return false;
}

/** Asks the other gateways to return the part of this balance that they hold but do not use. */
export async function askForReturns(sql: Sql, nodeId: string, key: LeaseKey): Promise<void> {
  await sql`select pg_notify(${BALANCE_CHANNEL}, ${`${key.userId}:${key.tokenId}:${nodeId}`})`;
}
