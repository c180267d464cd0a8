import { randomBytes, randomUUID } from "node:crypto";
import type { Sql } from "@/db/client";
import { type ArchiveRow, LOG_ARCHIVE_COLUMNS } from "@/lib/archive/columns";
import { BY_USER_TABLE } from "./clickhouse/by-user";
import {
  commandOn,
  countShards,
  firstOf,
  type LogServer,
  type LogStore,
  LogStoreAway,
  queryOn,
  shardsOf,
} from "./clickhouse/client";
import { insertRows } from "./clickhouse/insert";
import { type LogRowJson, toStoreRow } from "./clickhouse/rows";
import { ownTable, STRETCH_SECONDS } from "./clickhouse/tables";
import { lockForWriting } from "./removal-lock-commands";
import { untilWhole } from "./remove-commands";

const QUERY = "weir-restore-";
const KILL_MS = 10_000;

/** Puts rows, in the order of time, back into the log store; resolves to how many were not there. */
type PutBack = (rows: readonly ArchiveRow[]) => Promise<number>;

/**
 * Prepares to put archived rows back: every server must be there and know all rows of its shard, and what a restore that died
 * may still be writing is ended. So each row is there once afterwards. One restore at a time; the caller takes care of that.
 * Throws LogStoreAway.
 */
export async function beginPutBack(sql: Sql, store: LogStore): Promise<PutBack> {
  const shards = await shardsOf(store);
  const wanted = await countShards(store);
  if (shards.size < wanted) throw new LogStoreAway(`${wanted - shards.size} of ${wanted} shards cannot be reached`);
  const tables = { log: ownTable(store.config), byUser: ownTable(store.config, BY_USER_TABLE) };
  for (const server of [...shards.values()].flat()) {
    await commandOn(server, `kill query where query_id like '${QUERY}%' sync`, { timeoutMs: KILL_MS });
    if (store.config.cluster !== null) for (const table of Object.values(tables)) await untilWhole(server, table);
  }
  // Blocks of an earlier restore must not be taken for these: a replicated table refuses a block that it has had.
  const batch = randomBytes(4).readUInt32BE();
  return async (rows) => {
    const stored = (part: readonly ArchiveRow[] = []) =>
      part.map((row) => toStoreRow(toLogRow(row), { id: Number(row.id), batch }));
    const absent = await notInPostgres(sql, rows);
    // A restore that ended between the two tables has left rows in one of them.
    const missing = await findMissing({ shards, table: tables.log }, absent);
    const lacking = byShard(await findMissing({ shards, table: tables.byUser }, absent), wanted);
    const parts = byShard(missing, wanted);
    for (const shard of new Set([...parts.keys(), ...lacking.keys()])) {
      const places = { rows: stored(parts.get(shard)), byUser: stored(lacking.get(shard)) };
      const shipment = { shard, ...places, queryId: `${QUERY}${randomUUID()}` };
      await lockForWriting(sql, () => insertRows(store, shipment));
    }
    return missing.length;
  };
}

/** An archive may be older than a column, which then has its default. */
function toLogRow(row: ArchiveRow): LogRowJson {
  const known = LOG_ARCHIVE_COLUMNS.filter(({ name }) => name in row).map(({ name }) => [name, row[name]]);
  return { ...Object.fromEntries(known), other: JSON.parse(String(row.other ?? "{}")) };
}

/** By time, so that a row that is put back twice meets itself, and the table replaces one by the other. */
function byShard(rows: readonly ArchiveRow[], count: number): Map<number, ArchiveRow[]> {
  const parts = new Map<number, ArchiveRow[]>();
  for (const row of rows) {
    const shard = (Math.floor(Number(row.created_at) / STRETCH_SECONDS) % count) + 1;
    const part = parts.get(shard);
    if (part) part.push(row);
    else parts.set(shard, [row]);
  }
  return parts;
}

type There = { shards: ReadonlyMap<number, LogServer[]>; table: string };

async function notInPostgres(sql: Sql, rows: readonly ArchiveRow[]): Promise<readonly ArchiveRow[]> {
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last) return [];
  const here = await sql<Place[]>`
    select created_at, id from usage_logs
    where created_at >= ${Number(first.created_at)} and created_at <= ${Number(last.created_at)}`;
  const found = new Set(here.map(placeOf));
  return rows.filter((row) => !found.has(placeOf(row as Place)));
}

/** The rows that a table of the log store lacks. Hidden rows count: they are emptied ones of the last day. */
async function findMissing({ shards, table }: There, rows: readonly ArchiveRow[]): Promise<readonly ArchiveRow[]> {
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last) return [];
  const [from, until] = [Number(first.created_at), Number(last.created_at)];
  const ids = rows.map(({ id }) => Number(id));
  const [least, most] = ids.reduce(([low, high], id) => [Math.min(low, id), Math.max(high, id)], [ids[0] ?? 0, 0]);
  const where = `created_at >= ${from} and created_at <= ${until} and id >= ${least} and id <= ${most}`;
  const found = new Set<string>();
  for (const servers of shards.values()) {
    const there = await firstOf(servers, (server) =>
      queryOn<Place>(server, `select created_at, id from ${table} where ${where}`),
    );
    for (const place of there) found.add(placeOf(place));
  }
  return rows.filter((row) => !found.has(placeOf(row as Place)));
}

type Place = { created_at: number | string; id: number | string };

const placeOf = ({ created_at, id }: Place): string => `${created_at} ${id}`;
