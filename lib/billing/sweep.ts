import type { TransactionSql } from "postgres";
import type { Sql } from "@/db/client";
import { systemTimers, type Timers } from "./timers";

/** A process without a heartbeat for this long is dead. Gateways stop admitting requests well before (see lease.ts). */
const SILENT_MS = 30_000;
/** After a longer gap between two looks (the database or this process was away) the watch begins anew. */
const GAP_MS = 15_000;

type Heartbeat = { id: string; heartbeat: string };

/** What the sweeper needs of the database. */
export type SweepStore = {
  heartbeats(): Promise<Heartbeat[]>;
  /** Unregisters those of these nodes whose heartbeat is still the same and returns their leases. */
  removeSilent(nodes: readonly Heartbeat[]): Promise<number>;
};

/** Returns the slices of dead processes to their balances; the result is the number of those processes. */
export type NodeSweeper = (store: SweepStore) => Promise<number>;

type Watched = Heartbeat & { sinceMs: number };

/**
 * A process is dead when this sweeper has itself watched its heartbeat stand still for 30 s on its own clock: neither an
 * outage, during which nobody could send heartbeats, nor a clock that jumps makes a live process look dead. If a swept
 * process was only suspended, it registers again before it admits requests or books settlements.
 */
export function createNodeSweeper(timers: Pick<Timers, "now"> = systemTimers): NodeSweeper {
  let watched = new Map<string, Watched>();
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  return async (store) => {
    const nodes = await store.heartbeats();
    const nowMs = timers.now();
    const before = nowMs - lookedAtMs > GAP_MS ? new Map<string, Watched>() : watched;
    lookedAtMs = nowMs;
    watched = new Map();
    for (const node of nodes) {
      const known = before.get(node.id);
      watched.set(node.id, known?.heartbeat === node.heartbeat ? known : { ...node, sinceMs: nowMs });
    }
    const silent = [...watched.values()].filter(({ sinceMs }) => nowMs - sinceMs >= SILENT_MS);
    return silent.length === 0 ? 0 : store.removeSilent(silent);
  };
}

export function createSweepStore(sql: Sql): SweepStore {
  return {
    heartbeats: () => sql<Heartbeat[]>`select id, heartbeat_at::text as heartbeat from nodes`,
    removeSilent: (nodes) => removeSilent(sql, nodes),
  };
}

/** A heartbeat that came after the look keeps its node. */
async function removeSilent(sql: Sql, nodes: readonly Heartbeat[]): Promise<number> {
  return sql.begin(async (tx) => {
    const heartbeats = new Map(nodes.map(({ id, heartbeat }) => [id, heartbeat]));
    const rows = await tx<Heartbeat[]>`
      select id, heartbeat_at::text as heartbeat from nodes where id = any(${[...heartbeats.keys()]}::uuid[])
      order by id for update skip locked`;
    const dead = rows.filter(({ id, heartbeat }) => heartbeats.get(id) === heartbeat).map(({ id }) => id);
    await removeNodes(tx, dead);
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
export async function removeNodes(tx: TransactionSql, nodeIds: string[]): Promise<void> {
  if (nodeIds.length === 0) return;
  const ids = tx`${nodeIds}::uuid[]`;
  await tx`
    select 1 from users where id in (select user_id from leases where node_id = any(${ids}))
    order by id for no key update`;
  await tx`
    select 1 from tokens where (id, user_id) in (select token_id, user_id from leases where node_id = any(${ids}))
    order by id for no key update`;
  await tx`
    with gone as (delete from leases where node_id = any(${ids}) returning user_id, token_id, amount),
    sums as (select user_id, token_id, sum(amount)::bigint as amount from gone group by user_id, token_id),
    balances as (
      update users set reserved = reserved - sums.amount from sums where users.id = sums.user_id and sums.token_id = 0)
    update tokens set reserved = reserved - sums.amount from sums
    where tokens.id = sums.token_id and tokens.user_id = sums.user_id and sums.token_id > 0`;
  await tx`delete from nodes where id = any(${ids})`;
}
