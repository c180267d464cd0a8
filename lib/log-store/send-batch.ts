import { setTimeout as delay } from "node:timers/promises";
import { BY_USER_TABLE } from "./clickhouse/by-user";
import {
  codeOf,
  commandOn,
  firstOf,
  type LogServer,
  type LogStore,
  LogStoreAway,
  queryOn,
  shardsOf,
} from "./clickhouse/client";
import { literal, literals } from "./clickhouse/escape";
import { HOURS_TABLE, hourMarksOf } from "./clickhouse/hours";
import { insertRows, queryIdsOf } from "./clickhouse/insert";
import { LINES_PER_OUTBOX, type LogRowJson, toStoreRow } from "./clickhouse/rows";
import { LOG_TABLE, ownTable } from "./clickhouse/tables";
import type { Batch, OutboxRow } from "./ship-commands";

type StoreRow = ReturnType<typeof toStoreRow>;

/** The log store will never take these rows as they are. */
export class RowsRefused extends Error {
  override name = "RowsRefused";
}

/** Codes of errors that are about the rows, or about how many they are, and not about the server's state. */
const ABOUT_ROWS = new Set([6, 25, 26, 27, 28, 38, 41, 53, 69, 70, 72, 117, 130, 131, 349, 435, 636]);

/** Also said of a table that has too many parts at the moment, which is no fault of the rows. */
const TOO_MANY_PARTS = 252;

function isAboutRows(error: unknown): boolean {
  const code = codeOf(error) ?? 0;
  return (
    ABOUT_ROWS.has(code) || (code === TOO_MANY_PARTS && /partitions for single INSERT/i.test((error as Error).message))
  );
}

/** What a kill of a statement waits for. */
const KILL_MS = 10_000;
/** How long the other replicas of a shard are waited for, and how often they are asked. */
const REPLICAS_MS = 3_000;
const ASK_MS = 50;

/**
 * Inserts a batch so that each row is there once. `maySent`: it may have been sent before, so that it is looked up what is
 * there. Resolves to the number of rows sent. Throws RowsRefused, LogStoreAway, or what the servers say.
 */
export async function sendBatch(
  store: LogStore,
  { id, shard }: Batch,
  flushes: readonly OutboxRow[],
  maySent: boolean,
): Promise<number> {
  const rows = toRows(flushes);
  const queryId = queryIdOf(id);
  try {
    const { missing, byUser } = maySent
      ? await findMissing(store, shard, queryId, rows)
      : { missing: rows, byUser: rows };
    await insertRows(store, { shard, rows: missing, byUser, queryId });
    if (store.config.cluster !== null) await untilReplicated(store, shard, { rows, queryId });
    return missing.length;
  } catch (error) {
    if (isAboutRows(error)) {
      throw new RowsRefused(`the log store refuses rows: ${(error as Error).message}`, { cause: error });
    }
    throw error;
  }
}

/**
 * Readers ask any replica, and what has left the outbox must be there by then. One that is away or far behind is not waited
 * for: charges and later rows must not depend on it.
 */
async function untilReplicated(
  store: LogStore,
  shard: number,
  { rows, queryId }: { rows: readonly StoreRow[]; queryId: string },
): Promise<void> {
  const until = Date.now() + REPLICAS_MS;
  const servers = (await shardsOf(store)).get(shard) ?? [];
  await Promise.all(
    servers.map(async (server) => {
      try {
        while (Date.now() < until && !(await hasAll(store, server, queryId, rows))) await delay(ASK_MS);
      } catch (error) {
        if (!(error instanceof LogStoreAway) && codeOf(error) === null) throw error;
      }
    }),
  );
}

const TABLES = [LOG_TABLE, BY_USER_TABLE] as const;

/** The rows, twice, and the hours by which they are found. */
async function hasAll(
  store: LogStore,
  server: LogServer,
  queryId: string,
  rows: readonly StoreRow[],
): Promise<boolean> {
  const marks = hourMarksOf(queryId, rows);
  const found = await queryOn(
    server,
    `select distinct hour from ${ownTable(store.config, HOURS_TABLE)} where item = ${literal(marks[0]?.item ?? "")}`,
  );
  if (found.length < marks.length) return false;
  const there = await Promise.all(TABLES.map((table) => findThere(store, server, rows, table)));
  return there.every(({ size }) => size >= rows.length);
}

/** The rows of a batch, always the same and in the same order. */
export function toRows(flushes: readonly OutboxRow[]): StoreRow[] {
  return flushes.flatMap(({ id, skipped, body }) => {
    const left = new Set(skipped ?? []);
    return body.split("\n").flatMap((line, place) => {
      if (left.has(place)) return [];
      return [toStoreRow(parsed(line), { id: id * LINES_PER_OUTBOX + place })];
    });
  });
}

function parsed(line: string): LogRowJson {
  try {
    return JSON.parse(line) as LogRowJson;
  } catch (error) {
    throw new RowsRefused("a line of the outbox is no row", { cause: error });
  }
}

/** Ends what is left of an earlier try, and leaves out the rows that it brought to each table. */
async function findMissing(
  store: LogStore,
  shard: number,
  queryId: string,
  rows: readonly StoreRow[],
): Promise<Record<"missing" | "byUser", readonly StoreRow[]>> {
  const servers = (await shardsOf(store)).get(shard);
  if (!servers) throw new LogStoreAway(`no server of shard ${shard} can be reached`);
  await endQueryAt(servers, queryId);
  const lackedBy = async (table: string): Promise<readonly StoreRow[]> => {
    const there = await firstOf(servers, (server) => findThere(store, server, rows, table));
    const missing = rows.filter((row) => !there.has(keyOf(row)));
    // A replicated table recognises the whole block only, also one that came to another server; of a part it would not know.
    return store.config.cluster !== null && missing.length > 0 ? rows : missing;
  };
  const [missing, byUser] = await Promise.all([lackedBy(LOG_TABLE), lackedBy(BY_USER_TABLE)]);
  return { missing, byUser };
}

/** Ends what is left of sending a batch. Throws LogStoreAway when the server cannot be asked. */
export async function endSending(server: LogServer, batch: number): Promise<void> {
  await endQuery(server, queryIdOf(batch));
}

const queryIdOf = (batch: number): string => `weir-${batch}`;

/** At the servers that can be reached. */
export async function endQueryAt(servers: readonly LogServer[], queryId: string): Promise<void> {
  // A replica that is away is not asked for the rows either.
  for (const server of servers) await endQuery(server, queryId).catch(ignoreAway);
}

async function endQuery(server: LogServer, queryId: string): Promise<void> {
  const ids = literals(queryIdsOf(queryId));
  await commandOn(server, `kill query where query_id in ${ids} sync`, { timeoutMs: KILL_MS });
}

function ignoreAway(error: unknown): void {
  if (!(error instanceof LogStoreAway)) throw error;
}

async function findThere(
  store: LogStore,
  server: LogServer,
  rows: readonly StoreRow[],
  table: string,
): Promise<Set<string>> {
  if (rows.length === 0) return new Set();
  const [fromId, untilId] = rangeOf(rows, "id");
  const [from, until] = rangeOf(rows, "created_at");
  const found = await queryOn<{ created_at: string | number; id: string | number }>(
    server,
    `select created_at, id from ${ownTable(store.config, table)}
     where created_at >= ${from} and created_at <= ${until} and id >= ${fromId} and id <= ${untilId}
       and user_id in ${literals([...new Set(rows.map(({ user_id: user }) => user))])}`,
  );
  return new Set(found.map(keyOf));
}

function keyOf({ created_at, id }: Record<string, unknown>): string {
  return `${created_at} ${id}`;
}

function rangeOf(rows: readonly StoreRow[], column: "id" | "created_at"): [number, number] {
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (const row of rows) {
    least = Math.min(least, Number(row[column]));
    most = Math.max(most, Number(row[column]));
  }
  return [least, most];
}
