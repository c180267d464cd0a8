import type { TransactionSql } from "postgres";
import type { Sql } from "@/db/client";

/** A process that has not been heard of for so long is dead; gateways stop admitting well before (see lease.ts). */
const SILENT_SECONDS = 30;

/**
 * Gives back the slices of processes that died. Returns how many processes that were. Settlements of a process that was
 * only asleep still charge; it registers anew before it admits anything.
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

/** Ends this node: everything it holds goes back. */
export async function leaveNode(sql: Sql, nodeId: string): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`select 1 from nodes where id = ${nodeId} for update`;
    await removeNodes(tx, [nodeId]);
  });
}

/** The caller has locked the nodes' rows. Balances are locked in id order, as settlements lock them. */
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
