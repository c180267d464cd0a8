import type { TransactionSql } from "postgres";
import type { Sql } from "@/db/client";
import { type ListenPatience, listenOn } from "@/db/listen";
import { BALANCE_CHANNEL } from "./balance-notice";
import type { Ask, Grant, HeldLease, LeaseKey, LeaseStore } from "./billing-store";
import { leaveNode } from "./sweep";

/** Stands for the remaining quota of a token that has become unlimited in the meantime. */
const UNLIMITED = 2 ** 50;

/** The lease book's part of PostgreSQL. `beats`: where heartbeats go. */
export function createLeaseStore(sql: Sql, beats: Sql = sql, listening: Partial<ListenPatience> = {}): LeaseStore {
  return {
    acquire: (nodeId, key, ask) => acquireSlice(sql, nodeId, key, ask),
    trim: (nodeId, key, keep) => trimLease(sql, nodeId, key, keep),
    leasesOf: (nodeId) => sql<HeldLease[]>`
      select user_id as "userId", token_id as "tokenId", amount from leases where node_id = ${nodeId}`,
    heartbeat: (nodeId, name) => heartbeat(beats, nodeId, name),
    askForReturns: (nodeId, key) => askForReturns(sql, nodeId, key),
    leave: (nodeId) => leaveNode(sql, nodeId),
    async listen(onNotice, onConnect) {
      const listener = await listenOn({
        sql,
        channel: BALANCE_CHANNEL,
        applicationName: "weir-listen balances",
        onNotice,
        onConnect,
        ...listening,
      });
      return listener.stop;
    },
  };
}

/**
 * Moves quota from the balance to `reserved` and to this node's lease: one call of db/functions/acquire-lease.sql, because
 * a request waits for it.
 */
async function acquireSlice(sql: Sql, nodeId: string, { userId, tokenId }: LeaseKey, ask: Ask): Promise<Grant> {
  const [grant] = await sql<Grant[]>`
    select registered, balance, available, granted, held, elsewhere
    from weir_acquire_lease(${nodeId}, ${userId}, ${tokenId}, ${ask.needed}::bigint, ${ask.wanted}::bigint,
      ${ask.whole}::bigint, ${ask.spare}::bigint)`;
  if (!grant) throw new Error("the database did not say what it granted");
  return grant;
}

type LockedBalance = { balance: number; reserved: number; held: number };

/** Reads the lease in a separate statement, so that it sees the state after the lock was acquired. */
async function lockBalance(tx: TransactionSql, nodeId: string, key: LeaseKey): Promise<LockedBalance> {
  const [row] = await (key.tokenId === 0
    ? tx<LockedBalance[]>`select quota as balance, reserved from users where id = ${key.userId} for no key update`
    : tx<LockedBalance[]>`
        select case when unlimited_quota then ${UNLIMITED}::bigint else remain_quota end as balance, reserved
        from tokens where id = ${key.tokenId} and user_id = ${key.userId} for no key update`);
  const [lease] = await tx<{ amount: number }[]>`
    select amount from leases
    where node_id = ${nodeId} and user_id = ${key.userId} and token_id = ${key.tokenId}`;
  return { balance: row?.balance ?? 0, reserved: row?.reserved ?? 0, held: lease?.amount ?? 0 };
}

/** With `keep` 0 the lease is deleted. */
async function trimLease(sql: Sql, nodeId: string, key: LeaseKey, keep: number): Promise<number> {
  return sql.begin(async (tx) => {
    const { held } = await lockBalance(tx, nodeId, key);
    if (held > keep) {
      const { userId, tokenId } = key;
      await (tokenId === 0
        ? tx`update users set reserved = reserved - ${held - keep} where id = ${userId}`
        : tx`update tokens set reserved = reserved - ${held - keep} where id = ${tokenId} and user_id = ${userId}`);
    }
    const lease = tx`node_id = ${nodeId} and user_id = ${key.userId} and token_id = ${key.tokenId}`;
    if (keep === 0) await tx`delete from leases where ${lease}`;
    else if (held > keep) await tx`update leases set amount = ${keep} where ${lease}`;
    return held;
  });
}

async function heartbeat(sql: Sql, nodeId: string, name: string): Promise<boolean> {
  const beaten = await sql`update nodes set heartbeat_at = now() where id = ${nodeId} returning 1`;
  if (beaten.length > 0) return true;
  await sql`insert into nodes (id, name) values (${nodeId}, ${name}) on conflict (id) do update set heartbeat_at = now()`;
  return false;
}

async function askForReturns(sql: Sql, nodeId: string, key: LeaseKey): Promise<void> {
  await sql`select pg_notify(${BALANCE_CHANNEL}, ${`${key.userId}:${key.tokenId}:${nodeId}`})`;
}
