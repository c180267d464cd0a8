import type { Sql } from "@/db/client";
import { logger } from "@/lib/logger";
import { readCleared, visible } from "./both-queries";
import { BY_USER_TABLE, BY_USER_WHOLE, fillByUserBetween } from "./clickhouse/by-user";
import { commandOn, countShards, firstOf, type LogServer, type LogStore, queryOn, shardsOf } from "./clickhouse/client";
import { DAY_SECONDS, ownTable } from "./clickhouse/tables";
import { lockForRemoval } from "./removal-lock-commands";
import { endOpenBatches, isMutating, untilWhole } from "./remove-commands";
import { endQueryAt } from "./send-batch";
import { reasonOf } from "./trouble";

const HOUR_SECONDS = 3_600;
const FILL_MS = 600_000;
const LOOK_MS = 300_000;

/** By server and day: counts of rows at which nothing was lacking. Rows that are there twice until the server merges count as well. */
type KnownCounts = Map<string, string>;

type Completion = { store: LogStore; known: KnownCounts; stopping: AbortSignal | undefined };
type Place = Completion & { shard: number; servers: readonly LogServer[]; server: LogServer };

/** `day`: its first second. `hasNone`: of the table in the order of users. */
type LackingDay = { day: number; counts: string; hasNone: boolean };

const tablesOf = ({ config }: LogStore): string[] => [ownTable(config), ownTable(config, BY_USER_TABLE)];
const keyOf = ({ server }: Place, day: number): string => `${server.address} ${day}`;

/** Days of one server of which readers see something and the log has more rows than the table in the order of users, the newest first. */
async function daysLacking(sql: Sql, place: Place): Promise<LackingDay[]> {
  const [log, byUser] = tablesOf(place.store);
  const [{ cleared, restored }, rows] = await Promise.all([
    readCleared(sql),
    queryOn<Record<"day" | "inLog" | "inTable", string>>(
      place.server,
      `select partition as day, sumIf(rows, table = '${log}') as inLog, sumIf(rows, table = '${byUser}') as inTable
       from system.parts where active and database = currentDatabase() and table in ('${log}', '${byUser}')
       group by partition having inTable < inLog`,
    ),
  ]);
  const spans = [...restored, { from: cleared, until: Number.POSITIVE_INFINITY }];
  return rows
    .map(({ day, inLog, inTable }) => ({
      day: Number(day) * DAY_SECONDS,
      counts: `${inLog} ${inTable}`,
      hasNone: Number(inTable) === 0,
    }))
    .filter(({ day }) => spans.some(({ from, until }) => day < until && day + DAY_SECONDS > from))
    .filter(({ day, counts }) => place.known.get(keyOf(place, day)) !== counts)
    .sort((a, b) => b.day - a.day);
}

/**
 * Takes over what the table in the order of users lacks: a log from before there was the table, and the rows that a version before it
 * sends while versions run next to each other. One day of each shard; nothing is sent or removed meanwhile. Resolves to
 * the number of days that were looked through. Notes for readers whether the table has all of the log.
 */
export async function completeByUser(
  sql: Sql,
  store: LogStore,
  known: KnownCounts = new Map(),
  stopping?: AbortSignal,
): Promise<number> {
  const [shards, wanted] = await Promise.all([shardsOf(store), countShards(store)]);
  let isWhole = shards.size === wanted;
  let looked = 0;
  for (const [shard, servers] of shards) {
    await firstOf(servers, async (server) => {
      const place = { store, known, stopping, shard, servers, server };
      const [first] = await daysLacking(sql, place);
      if (!first) return;
      isWhole = false;
      // What is removed from one table first is not lacking there.
      if (await isMutating(server, tablesOf(store))) return;
      await sql`delete from job_positions where job = ${BY_USER_WHOLE}`;
      await completeDay(sql, place, first.day);
      looked += 1;
    });
  }
  if (isWhole) await sql`insert into job_positions (job, position) values (${BY_USER_WHOLE}, 1) on conflict do nothing`;
  return looked;
}

/** By the hour if rows are there already, as these are in memory as a set. */
async function completeDay(sql: Sql, place: Place, day: number): Promise<void> {
  const { store, shard, servers, server } = place;
  const tables = tablesOf(store);
  const queryId = `weir-by-user-${store.config.database}`;
  await lockForRemoval(sql, async (lock) => {
    await endOpenBatches(lock.sql, store, shard);
    await endQueryAt(servers, queryId);
    if (store.config.cluster !== null) for (const table of tables) await untilWhole(server, table);
    if (await isMutating(server, tables)) return;
    const find = async () => (await daysLacking(lock.sql, place)).find((one) => one.day === day);
    const lacking = await find();
    if (!lacking) return;
    const step = lacking.hasNone ? DAY_SECONDS : HOUR_SECONDS;
    for (let start = day; start < day + DAY_SECONDS; start += step) {
      if (place.stopping?.aborted) return;
      // Fails when the lock was lost with its connection.
      const { cleared, restored } = await readCleared(lock.sql);
      const fill = fillByUserBetween(store.config, { start, end: start + step }, visible(cleared, restored));
      await commandOn(server, fill, { queryId, timeoutMs: FILL_MS });
    }
    const left = await find();
    if (left) place.known.set(keyOf(place, day), left.counts);
  });
}

/** Completes the table every five minutes, and at once while days are lacking; what fails is tried again by a later turn. */
export function createCompleter(sql: Sql, store: LogStore): (stopping?: AbortSignal) => Promise<void> {
  const known: KnownCounts = new Map();
  let nextAt = 0;
  return async (stopping) => {
    if (Date.now() < nextAt) return;
    nextAt = Date.now() + LOOK_MS;
    try {
      if ((await completeByUser(sql, store, known, stopping)) > 0) nextAt = 0;
    } catch (error) {
      logger.warn({ reason: reasonOf(error) }, "rows of the log store cannot be put in the order of users now");
    }
  };
}
