import { setTimeout as delay } from "node:timers/promises";
import type { Sql } from "@/db/client";
import { isSameSum, type RowSum } from "@/lib/archive/tally";
import { BY_USER_EMPTIED, BY_USER_TABLE } from "./clickhouse/by-user";
import { commandOn, type LogServer, type LogStore, LogStoreAway, queryOn, shardsOf } from "./clickhouse/client";
import { literals } from "./clickhouse/escape";
import { DAY_SECONDS, ownTable } from "./clickhouse/tables";
import { lockForRemoval } from "./removal-lock-commands";
import { endSending } from "./send-batch";
import { listBatches } from "./ship-commands";
import { type Stretch, sumStored } from "./stretch-queries";

/** A part of a stretch, and what its visible rows must come to. */
export type KnownPart = { start: number; end: number } & RowSum;

const SYNC_MS = 20_000;
const MUTATION_MS = 20_000;
const ASK_MS = 200;

/** What a row that is hidden loses, behind `hidden = 1`. */
export const EMPTIED = ", content = '', client_ip = '', other = '{}'";

/** `hide`: rows are emptied and hidden, because figures of the last day are made of them. */
export type Removal = "delete" | "hide";

/**
 * Deletes or hides the rows of a stretch if its visible rows are exactly `parts`. Meanwhile nobody can add one: sending waits, and what
 * an earlier process may still be sending is ended. A whole day is dropped. False = they are others, or the stretch was put
 * back to be looked at, and nothing was changed. Throws LogStoreAway, and what the server says.
 */
export async function removeStored(
  { sql, store, shard, how }: { sql: Sql; store: LogStore; shard: number; how: Removal },
  stretch: Stretch,
  parts: readonly KnownPart[],
): Promise<boolean> {
  const { server, table, start, end } = stretch;
  const byUser = ownTable(store.config, BY_USER_TABLE);
  const removed = await lockForRemoval(sql, async (lock) => {
    if (await lock.isRestored({ start, end })) return false;
    await endOpenBatches(lock.sql, store, shard);
    if (store.config.cluster !== null) for (const each of [byUser, table]) await untilWhole(server, each);
    for (const part of parts) {
      if (!isSameSum(await sumStored({ ...stretch, ...part }), part)) return false;
    }
    // A lock that was lost with its connection protects nothing.
    await lock.assertHeld();
    // The log last: while it has the rows, an attempt that ended in between is made again.
    await commandOn(server, statementOf({ ...stretch, table: byUser }, how, BY_USER_EMPTIED));
    await commandOn(server, statementOf(stretch, how));
    return true;
  });
  if (removed) await untilMutated(server, [byUser, table]);
  return removed;
}

function statementOf({ table, start, end }: Stretch, how: Removal, emptied = EMPTIED): string {
  const where = `where created_at >= ${start} and created_at < ${end}`;
  if (how === "hide") return `alter table ${table} update hidden = 1${emptied} ${where} and hidden = 0`;
  const isDay = start % DAY_SECONDS === 0 && end === start + DAY_SECONDS;
  return isDay ? `alter table ${table} drop partition ${start / DAY_SECONDS}` : `alter table ${table} delete ${where}`;
}

/** A shipper that died may have left a statement that still writes. All servers must say that it has ended. */
export async function endOpenBatches(sql: Sql, store: LogStore, shard: number): Promise<void> {
  const open = (await listBatches(sql)).filter((batch) => batch.shard === shard);
  if (open.length === 0) return;
  const servers = (await shardsOf(store)).get(shard) ?? [];
  for (const { id } of open) for (const server of servers) await endSending(server, id);
}

/** A replica that lacks parts of others would count too few rows, and drop those that it does not know. */
export async function untilWhole(server: LogServer, table: string): Promise<void> {
  for (const until = Date.now() + SYNC_MS; ; await delay(ASK_MS)) {
    const [row] = await queryOn<{ behind: string | number }>(
      server,
      `select log_max_index >= log_pointer or inserts_in_queue > 0 or is_session_expired as behind
       from system.replicas where database = currentDatabase() and table = '${table}'`,
    );
    if (row && Number(row.behind) === 0) return;
    if (Date.now() > until) throw new LogStoreAway(`${server.address} has not received all rows of its shard`);
  }
}

/** Whether the server still removes or changes rows of one of the tables in the background. */
export async function isMutating(server: LogServer, tables: readonly string[]): Promise<boolean> {
  const rows = await queryOn(
    server,
    `select 1 as one from system.mutations where database = currentDatabase() and table in ${literals(tables)} and is_done = 0 limit 1`,
  );
  return rows.length > 0;
}

/** Not for ever: what is left is looked at by the next turn. */
async function untilMutated(server: LogServer, tables: readonly string[]): Promise<void> {
  for (const until = Date.now() + MUTATION_MS; Date.now() < until; await delay(ASK_MS)) {
    if (!(await isMutating(server, tables))) return;
  }
}
