import { logger } from "@/lib/logger";
import {
  codeOf,
  commandOn,
  countShards,
  firstOf,
  type LogServer,
  type LogStore,
  queryOn,
  shardsOf,
} from "./clickhouse/client";
import { HOURS_TABLE } from "./clickhouse/hours";
import { DAY_SECONDS, LOG_TABLE, ownTable } from "./clickhouse/tables";
import type { LogStoreConfig } from "./config";
import { reasonOf } from "./trouble";

/** Old servers drop partitions at one replica of a shard; for seconds after its death there is none (254, 292). */
const NO_LEADER: readonly unknown[] = [254, 292];

/** Rows before `known` go; those from there to `until` are emptied and hidden. Unix seconds. */
export type Clearing = { known: number; until: number };

/**
 * Clears the log in ClickHouse as lib/usage-log/commands.ts does in PostgreSQL; returns how many rows were shown and are no
 * more. Whole days are dropped at once; the server removes the other rows later by itself, and nobody sees them meanwhile,
 * because every reader leaves out what is before the time in job_positions. A shard
 * without a server is left for the job that runs every hour.
 */
export async function clearStoredLogs(store: LogStore, clearing: Clearing): Promise<number> {
  const [shards, wanted] = await Promise.all([shardsOf(store), countShards(store)]);
  let total = 0;
  if (shards.size < wanted)
    logger.warn({ shards: shards.size, wanted }, "a shard of the log store cannot be cleared now");
  for (const servers of shards.values()) {
    try {
      total += await firstOf(servers, async (server) => {
        const cleared = await clearOn(server, ownTable(store.config), clearing);
        await forgetHours(server, store.config);
        return cleared;
      });
    } catch (error) {
      // Nobody sees the rows; the job that runs every hour removes them.
      if (!NO_LEADER.includes(codeOf(error))) throw error;
      logger.warn({ reason: reasonOf(error) }, "a shard of the log store has no leader and cannot be cleared now");
    }
  }
  return total;
}

async function clearOn(server: LogServer, table: string, { known, until }: Clearing): Promise<number> {
  const old = `created_at < ${Math.floor(known)}`;
  const young = `created_at >= ${Math.floor(known)} and created_at < ${Math.floor(until)} and hidden = 0`;
  const [counted] = await queryOn<{ old: string; young: string }>(
    server,
    `select countIf(${old}) as old, countIf(${young}) as young from ${table} where created_at < ${Math.floor(until)}`,
  );
  const days = await queryOn<{ partition: string }>(
    server,
    `select distinct partition from system.parts where active and database = currentDatabase() and table = '${table}'`,
  );
  for (const { partition } of days) {
    const isOver = (Number(partition) + 1) * DAY_SECONDS <= known;
    if (isOver) await commandOn(server, `alter table ${table} drop partition ${Number(partition)}`);
  }
  const [left] = await queryOn<{ count: string }>(server, `select count() as count from ${table} where ${old}`);
  if (Number(left?.count ?? 0) > 0) await commandOn(server, `alter table ${table} delete where ${old}`);
  if (Number(counted?.young ?? 0) > 0) {
    await commandOn(
      server,
      `alter table ${table} update hidden = 1, content = '', client_ip = '', other = '{}' where ${young}`,
    );
  }
  return Number(counted?.old ?? 0) + Number(counted?.young ?? 0);
}

/** Meanwhile a row may be on its way whose hours are noted already. */
const SURELY_OLD_SECONDS = 3_600;

/** Drops what is noted of days that have no rows any more, at one server of a shard. */
export async function forgetHours(
  server: LogServer,
  config: LogStoreConfig,
  olderThanSeconds = SURELY_OLD_SECONDS,
): Promise<void> {
  const days = (table: string) =>
    `from system.parts where active and database = currentDatabase() and table = '${ownTable(config, table)}'`;
  const empty = await queryOn<{ partition: string }>(
    server,
    `select partition ${days(HOURS_TABLE)} and partition not in (select partition ${days(LOG_TABLE)})
     group by partition having max(modification_time) < now() - ${olderThanSeconds}`,
  );
  for (const { partition } of empty) {
    await commandOn(server, `alter table ${ownTable(config, HOURS_TABLE)} drop partition ${Number(partition)}`);
  }
}
