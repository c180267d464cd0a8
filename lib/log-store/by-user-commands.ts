import type { Sql } from "@/db/client";
import { logger } from "@/lib/logger";
import { BY_USER_TABLE, fillByUserBetween } from "./clickhouse/by-user";
import {
  commandOn,
  firstOf,
  type LogServer,
  type LogStore,
  LogStoreAway,
  queryOn,
  shardsOf,
} from "./clickhouse/client";
import { DAY_SECONDS, ownTable } from "./clickhouse/tables";
import { lockForRemoval } from "./removal-lock-commands";
import { endOpenBatches, untilWhole } from "./remove-commands";

const HOUR_SECONDS = 3_600;
const FILL_MS = 600_000;
const LOOK_MS = 300_000;

/** Days of one server, by their first second, of which the log has more rows than the table in the order of users. */
async function daysLacking(server: LogServer, { config }: LogStore): Promise<number[]> {
  const [log, byUser] = [ownTable(config), ownTable(config, BY_USER_TABLE)];
  const rows = await queryOn<{ day: string }>(
    server,
    `select partition as day from system.parts
     where active and database = currentDatabase() and table in ('${log}', '${byUser}')
     group by partition having sumIf(rows, table = '${byUser}') < sumIf(rows, table = '${log}')`,
  );
  return rows.map(({ day }) => Number(day) * DAY_SECONDS);
}

/**
 * Takes over what the table in the order of users lacks: the rows that a version before it sends while versions run next to each other.
 * Nothing is sent or removed meanwhile. Resolves to the number of days that were looked through.
 */
export async function completeByUser(sql: Sql, store: LogStore): Promise<number> {
  let looked = 0;
  for (const [shard, servers] of await shardsOf(store)) {
    looked += await firstOf(servers, async (server) => {
      const days = await daysLacking(server, store);
      for (const day of days)
        await lockForRemoval(sql, async (lock) => {
          await endOpenBatches(lock.sql, store, shard);
          await completeDay(server, store, day);
        });
      return days.length;
    });
  }
  return looked;
}

/** By the hour: the rows that are there already are in memory as a set. */
async function completeDay(server: LogServer, { config }: LogStore, day: number): Promise<void> {
  const tables = config.cluster === null ? [] : [ownTable(config), ownTable(config, BY_USER_TABLE)];
  for (const table of tables) await untilWhole(server, table);
  for (let start = day; start < day + DAY_SECONDS; start += HOUR_SECONDS)
    await commandOn(server, fillByUserBetween(config, start, start + HOUR_SECONDS), { timeoutMs: FILL_MS });
}

/** Completes the table every five minutes; what cannot be reached then is completed by a later turn. */
export function createCompleter(sql: Sql, store: LogStore): () => Promise<void> {
  let lookedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (Date.now() - lookedAt < LOOK_MS) return;
    lookedAt = Date.now();
    try {
      await completeByUser(sql, store);
    } catch (error) {
      if (!(error instanceof LogStoreAway)) throw error;
      logger.warn({ reason: error.message }, "rows of the log store cannot be put in the order of users now");
    }
  };
}
