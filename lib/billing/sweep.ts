import type { TransactionSql } from "postgres";
import type { Sql } from "@/db/client";

/** A process without a heartbeat for this long is dead. Gateways stop admitting requests well before (see lease.ts). */
const SILENT_SECONDS = 30;

/**
 * Returns the slices of dead processes to their balances; the result is the number of those processes. If such a
 * process was only suspended, its settlements are still charged, and it registers again before it admits requests.
 */
export async function sweepDeadNodes(sql: Sql, silentSeconds = SILENT_SECONDS): Promise<number> {
  return sql.begin(async (tx) => {
    const dead = await tx<{ id: string }[]>`
      select id from nodes where heartbeat_at < now() - make_interval(secs => ${silentSeconds})
      order by id for update skip locked`;
    await removeNodes(
      tx,
      dead.map((node) => node.id),
    );
    return dead.length;
  });
}

/** Unregisters this node and returns all its slices. */
export async function leaveNode(sql: Sql, nodeId: string): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`select 1 from nodes where id = ${nodeId} for update`;
    await removeNodes(tx, [nodeId]);
  });
}

/** The nodes' rows must already be locked. Balances are locked in id order, like in settlements, to avoid deadlocks. */
async function removeNodes(tx: TransactionSql, nodeIds: string[]): Promise<void> {
  if (nodeIds.length === 0) return;
  const ids = tx`${nodeIds}::uuid[]`;
  await tx`
    select 1 from users where id in (select user_id from leases where node_id = any(${ids}))
    order by id for no key update`;
  await tx`
    select 1 from tokens where id in (select token_id from leases where node_id = any(${ids}))
    order by id for no key update`;
  await tx`
    with gone as (delete from leases where node_id = any(${ids}) returning user_id, token_id, amount),
    sums as (select user_id, token_id, sum(amount)::bigint as amount from gone group by user_id, token_id),
    balances as (
      update users set reserved = reserved - sums.amount from sums where users.id = sums.user_id and sums.token_id = 0)
    update tokens set reserved = reserved - sums.amount from sums where tokens.id = sums.token_id and sums.token_id > 0`;
  await tx`delete from nodes where id = any(${ids})`;
}
