import { logger } from "@/lib/logger";
import { BY_USER_EMPTIED, BY_USER_TABLE } from "./clickhouse/by-user";
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
import { literals } from "./clickhouse/escape";
import { HOURS_TABLE } from "./clickhouse/hours";
import { DAY_SECONDS, LOG_TABLE, ownTable } from "./clickhouse/tables";
import type { LogStoreConfig } from "./config";
import { EMPTIED } from "./remove-commands";
import { reasonOf } from "./trouble";

/** Old servers drop partitions at one replica of a shard; for seconds after its death there is none (254, 292). */
const NO_LEADER: readonly unknown[] = [254, 292];

/** Each deletes or changes rows by rewriting parts of the table, so that a turn of the job makes at most one in so long. */
const MUTATION_PAUSE_SECONDS = 3_600;

/** Rows before `known` go; those from there to `until` are emptied and hidden. Unix seconds. */
export type Clearing = {
  known: number;
  until: number;
  /** An operator waits for it; a turn of the job does not. */
  isAsked: boolean;
  pauseSeconds?: number;
};

/**
 * Clears the log in ClickHouse as lib/usage-log/commands.ts does in PostgreSQL; returns how many rows it has told the servers to
 * remove or to hide. Whole days are dropped at once; the servers remove the other rows later by themselves, and nobody sees them
 * meanwhile, because every reader leaves out what is before the time in job_positions. A shard
 * without a server is left for the next turn of the job.
 */
export async function clearStoredLogs(store: LogStore, clearing: Clearing): Promise<number> {
  const [shards, wanted] = await Promise.all([shardsOf(store), countShards(store)]);
  let total = 0;
  if (shards.size < wanted)
    logger.warn({ shards: shards.size, wanted }, "a shard of the log store cannot be cleared now");
  for (const servers of shards.values()) {
    try {
      total += await firstOf(servers, async (server) => {
        const cleared = await clearOn(server, store.config, clearing);
        await forgetHours(server, store.config);
        return cleared;
      });
    } catch (error) {
      // Nobody sees the rows; the job removes them.
      if (!NO_LEADER.includes(codeOf(error))) throw error;
      logger.warn({ reason: reasonOf(error) }, "a shard of the log store has no leader and cannot be cleared now");
    }
  }
  return total;
}

async function clearOn(server: LogServer, config: LogStoreConfig, clearing: Clearing): Promise<number> {
  const { known, until, isAsked, pauseSeconds = MUTATION_PAUSE_SECONDS } = clearing;
  const [table, byUser] = [ownTable(config), ownTable(config, BY_USER_TABLE)];
  await dropDays(server, byUser, known);
  const dropped = await dropDays(server, table, known);
  if (!isAsked && (await hasMutatedLately(server, [table, byUser], pauseSeconds))) return dropped;
  const old = `created_at < ${Math.floor(known)}`;
  const young = `created_at >= ${Math.floor(known)} and created_at < ${Math.floor(until)} and hidden = 0`;
  const countIn = async (name: string) => {
    const [left] = await queryOn<Record<"old" | "shown" | "young", string>>(
      server,
      `select countIf(${old}) as old, countIf(${old} and hidden = 0) as shown, countIf(${young}) as young
       from ${name} where created_at < ${Math.floor(until)}`,
    );
    return { old: Number(left?.old ?? 0), shown: Number(left?.shown ?? 0), young: Number(left?.young ?? 0) };
  };
  const counts = await countIn(table);
  const both = [counts, await countIn(byUser)];
  // Rows that were hidden get old minute by minute. They are empty, and go together: with their day, or when the last is old.
  const isDue = both.some((each) => each.shown > 0 || (each.old > 0 && (isAsked || known >= until)));
  const changes = (emptied: string) => [
    ...(isDue ? [`delete where ${old}`] : []),
    ...(both.some((each) => each.young > 0) ? [`update hidden = 1${emptied} where ${young}`] : []),
  ];
  // In one statement, so that parts are rewritten once.
  if (changes(EMPTIED).length > 0) {
    await commandOn(server, `alter table ${byUser} ${changes(BY_USER_EMPTIED).join(", ")}`);
    await commandOn(server, `alter table ${table} ${changes(EMPTIED).join(", ")}`);
  }
  return dropped + (isDue ? counts.old : 0) + counts.young;
}

/** Drops the days that lie before a time as a whole; returns how many rows they had. */
async function dropDays(server: LogServer, table: string, known: number): Promise<number> {
  const days = await queryOn<{ partition: string; rows: string }>(
    server,
    `select partition, sum(rows) as rows from system.parts
     where active and database = currentDatabase() and table = '${table}' group by partition`,
  );
  let total = 0;
  for (const { partition, rows } of days) {
    if ((Number(partition) + 1) * DAY_SECONDS > known) continue;
    await commandOn(server, `alter table ${table} drop partition ${Number(partition)}`);
    total += Number(rows);
  }
  return total;
}

/** Whether one of the tables was told to remove or to change rows so lately, or is still at it. */
async function hasMutatedLately(server: LogServer, tables: readonly string[], seconds: number): Promise<boolean> {
  const rows = await queryOn(
    server,
    `select 1 as one from system.mutations where database = currentDatabase() and table in ${literals(tables)}
       and (is_done = 0 or create_time > now() - ${seconds}) limit 1`,
  );
  return rows.length > 0;
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
  for (const table of [HOURS_TABLE, BY_USER_TABLE]) {
    const empty = await queryOn<{ partition: string }>(
      server,
      `select partition ${days(table)} and partition not in (select partition ${days(LOG_TABLE)})
       group by partition having max(modification_time) < now() - ${olderThanSeconds}`,
    );
    for (const { partition } of empty)
      await commandOn(server, `alter table ${ownTable(config, table)} drop partition ${Number(partition)}`);
  }
}
