import { BY_USER_TABLE, byUserRowOf } from "./by-user";
import { firstOf, insertOn, type LogStore, LogStoreAway, shardsOf } from "./client";
import { HOURS_TABLE, hourMarksOf, hourRowsOf } from "./hours";
import type { toStoreRow } from "./rows";
import { ownTable } from "./tables";

export type Shipment = {
  /** From 1 on, at most countShards(). */
  shard: number;
  /** In a fixed order: a replicated table refuses a block that it has had already. */
  rows: readonly ReturnType<typeof toStoreRow>[];
  /** Those that the table in the order of users lacks, where these are others: an earlier try may have ended between the two. */
  byUser?: readonly ReturnType<typeof toStoreRow>[];
  /** By which its statements are found, and ended, while they run (queryIdsOf). */
  queryId: string;
  timeoutMs?: number;
};

/** Of the statements of a shipment. A server may refuse an id that it still has of the statement before. */
export const queryIdsOf = (queryId: string) => [`${queryId}-user`, queryId] as const;

/** All of a shipment is one block, which is there whole or not at all for each day that its rows are of. */
const ONE_BLOCK = { max_insert_block_size: 1_048_576 };

/**
 * Inserts rows into a shard, at the first of its servers that can be reached. Throws LogStoreAway when none can; then, and
 * after a timeout, the rows may be there or not.
 */
export async function insertRows(
  store: LogStore,
  { shard, rows, byUser = rows, queryId, timeoutMs }: Shipment,
): Promise<void> {
  if (rows.length === 0 && byUser.length === 0) return;
  const servers = (await shardsOf(store)).get(shard);
  if (!servers) throw new LogStoreAway(`no server of shard ${shard} can be reached`);
  const hours = [...hourRowsOf(rows), ...(store.config.cluster === null ? [] : hourMarksOf(queryId, rows))];
  const options = { settings: ONE_BLOCK, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
  await firstOf(servers, async (server) => {
    // First, so that there is never a row of the log that is not found by its values or its user.
    const [userId, logId] = queryIdsOf(queryId);
    const places = byUser.map(byUserRowOf);
    if (hours.length > 0)
      await insertOn(server, { table: ownTable(store.config, HOURS_TABLE), rows: hours, ...options });
    if (places.length > 0)
      await insertOn(server, {
        table: ownTable(store.config, BY_USER_TABLE),
        rows: places,
        queryId: userId,
        ...options,
      });
    if (rows.length > 0) await insertOn(server, { table: ownTable(store.config), rows, queryId: logId, ...options });
  });
}
