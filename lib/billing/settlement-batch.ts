import type { TransactionSql } from "postgres";
import type { Sql } from "@/db/client";
import { hasLogStore } from "@/lib/env";
import { type AppliedCharge, type BookResult, NodeNotRegistered, type SettlementStore } from "./billing-store";
import { logParameters, logValues } from "./log-batch";
import { toOutboxBatch } from "./outbox-batch";
import { keepRefused } from "./refused-commands";
import type { SettlementRow } from "./settlement-row";
import { sqlStateOf } from "./sqlstate";

/** SQLSTATE that the functions raise: the process was swept. */
const NOT_REGISTERED = "WR001";
/** One of the requests was settled before, and nothing has changed. */
const IS_REPEAT = "WR002";

/** The settler's part of PostgreSQL. */
export function createSettlementStore(sql: Sql): SettlementStore {
  // Of a process that was swept, others may have booked what it still holds, in another log than its own.
  let wasSwept = false;
  return {
    async book(nodeId, rows) {
      try {
        return await bookSettlements(sql, nodeId, rows, wasSwept);
      } catch (error) {
        wasSwept ||= error instanceof NodeNotRegistered;
        throw error;
      }
    },
    keepRefused: (row, reason) => keepRefused(sql, row, reason),
  };
}

type BookedRow = { inserted: number; userId: number | null; tokenId: number; dropped: number; left: number };

/**
 * Commits a batch: adds the sums of the new settlements only to users, tokens, channels, leases and usage_hourly, and their
 * rows to the log; with a log store, to what is on its way there. One that was booked before changes nothing. `isRepeat`:
 * some may have been booked by a process that has a log store while this one has none, or the other way round. Always
 * considered for rows that were read back, e.g. from a journal.
 */
export async function bookSettlements(
  sql: Sql | TransactionSql,
  nodeId: string | null,
  rows: readonly SettlementRow[],
  isRepeat = false,
): Promise<BookResult> {
  const booked = await (hasLogStore() ? bookToOutbox : bookToLog)(sql, nodeId, rows, isRepeat).catch(
    (error: unknown) => {
      throw sqlStateOf(error) === NOT_REGISTERED
        ? new NodeNotRegistered("this process was swept", { cause: error })
        : error;
    },
  );
  const charges: AppliedCharge[] = [];
  for (const { userId, tokenId, dropped, left } of booked) {
    if (userId !== null) charges.push({ userId, tokenId, dropped, left });
  }
  return { inserted: booked[0]?.inserted ?? 0, charges };
}

/** One round trip and one transaction, as below. The functions are in db/functions. */
async function bookToLog(
  sql: Sql | TransactionSql,
  nodeId: string | null,
  rows: readonly SettlementRow[],
  isRepeat: boolean,
): Promise<BookedRow[]> {
  const isSure = !isRepeat && rows.every(({ columns }) => columns !== null);
  // Where some were booked before there is an error, which would end the transaction of the caller.
  const values = isSure && rows.length >= MANY && !("savepoint" in sql) ? logValues(rows) : null;
  const { users, tokens, channels } = accountsOf(rows);
  if (!values) {
    const name = sql(isSure ? "weir_book_settlements" : "weir_book_unsettled");
    return sql<BookedRow[]>`
      select inserted, charged_user as "userId", charged_token as "tokenId", dropped_quota as dropped, left_quota as "left"
      from ${name}(${nodeId}, ${users}::int[], ${tokens}::int[], ${channels}::int[], ${asArray(rows)}::text::json)`;
  }
  try {
    return await sql.unsafe<BookedRow[]>(BOOK_TO_LOG, [nodeId, users, tokens, channels, ...values], { prepare: true });
  } catch (error) {
    if (sqlStateOf(error) !== IS_REPEAT) throw error;
    return bookToLog(sql, nodeId, rows, true);
  }
}

/** From so many on PostgreSQL saves more by arrays than this process spends on them. */
const MANY = 32;

/** One text, since a statement that is put together costs as much as its rows where they are few. */
const BOOK_TO_LOG = `
  select inserted, charged_user as "userId", charged_token as "tokenId", dropped_quota as dropped, left_quota as "left"
  from weir_book_to_log($1, $2::int[], $3::int[], $4::int[], ${logParameters(4)})`;

async function bookToOutbox(
  sql: Sql | TransactionSql,
  nodeId: string | null,
  rows: readonly SettlementRow[],
  isRepeat: boolean,
): Promise<BookedRow[]> {
  // An error would end the transaction of the caller.
  const isWithin = "savepoint" in sql;
  const batch = toOutboxBatch(rows, isRepeat || isWithin);
  const { users, tokens, channels } = accountsOf(rows);
  try {
    return await sql<BookedRow[]>`
      select inserted, charged_user as "userId", charged_token as "tokenId", dropped_quota as dropped, left_quota as "left"
      from weir_book_to_outbox(${nodeId}, ${users}::int[], ${tokens}::int[], ${channels}::int[],
        ${batch.requestIds}::text[], ${batch.requestUsers}::int[], ${batch.requestTimes}::bigint[],
        ${batch.items}::text::json, ${batch.extras}::text::json, ${batch.lines}, ${batch.isRepeat})`;
  } catch (error) {
    if (sqlStateOf(error) !== IS_REPEAT || batch.isRepeat) throw error;
    return bookToOutbox(sql, nodeId, rows, true);
  }
}

/** One text, which is copied once, when it is sent. */
function asArray(rows: readonly SettlementRow[]): string {
  let text = "[";
  for (const { json } of rows) text += text.length === 1 ? json : `,${json}`;
  return `${text}]`;
}

function accountsOf(rows: readonly SettlementRow[]): { users: number[]; tokens: number[]; channels: number[] } {
  const [users, tokens, channels] = [new Set<number>(), new Set<number>(), new Set<number>()];
  for (const { userId, tokenId, channelId } of rows) {
    users.add(userId);
    tokens.add(tokenId);
    channels.add(channelId);
  }
  return { users: [...users], tokens: [...tokens], channels: [...channels] };
}
