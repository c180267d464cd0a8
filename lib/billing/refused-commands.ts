import type { Sql } from "@/db/client";
import { AppError } from "@/lib/errors";
import { isLogStoreAway } from "@/lib/log-store/trouble";
import { logger } from "@/lib/logger";
import { notifyRoots } from "@/lib/notify/notify-commands";
import type { RefusalReason, SettlementStore } from "./billing-store";
import { type BookedLongAgo, findBookedLongAgo } from "./booked-long-ago";
import { parseSettlementRow, type SettlementRow } from "./settlement-row";
import { sqlStateOf } from "./sqlstate";

/** A charge that PostgreSQL refused for good; root sees it in the console. Amount in quota, times in unix seconds. */
export type RefusedCharge = {
  requestId: string;
  userId: number;
  quota: number;
  /** What the upstream should bill for it; null = unknown. */
  cost: number | null;
  code: string;
  message: string;
  attempts: number;
  refusedAt: number;
  triedAt: number;
};

const MESSAGE_MAX = 500;
const AT_ONCE = 200;

/** Keeps a charge that cannot be booked and alerts root. Keeping the same one twice changes nothing. */
export async function keepRefused(sql: Sql, row: SettlementRow, reason: RefusalReason): Promise<void> {
  const message = cleanText(reason.message);
  const kept = await sql`
    insert into refused_settlements (request_id, user_id, quota, row, code, message)
    values (${row.requestId}, ${row.userId}, ${row.quota}, ${row.json}, ${reason.code}, ${message})
    on conflict do nothing returning 1`;
  if (kept.length === 0) return;
  const { requestId, userId, quota } = row;
  // The charge is kept, and the console shows it; an alert that fails must not undo that.
  await notifyRoots(sql, {
    event: "charge_refused",
    params: { requestId, userId, amount: quota, reason: message },
    dedupeKey: `refused:${requestId}`,
  }).catch((error: unknown) => logger.error({ err: error, request: requestId }, "root could not be alerted"));
}

/** Newest first. */
export async function listRefused(sql: Sql, limit: number): Promise<RefusedCharge[]> {
  return sql<RefusedCharge[]>`
    select request_id as "requestId", user_id as "userId", quota,
      -- Names and texts before it cannot look like it, because their quotes are escaped.
      substring(row from '"cost":([0-9]{1,15})[,}]')::bigint as cost, code, message, attempts, refused_at as "refusedAt",
      tried_at as "triedAt"
    from refused_settlements order by refused_at desc, request_id limit ${limit}`;
}

export type Retried = { booked: number; refused: number };

/**
 * Tries to book kept charges again, each on its own; those that were not tried for longest first. Throws and changes nothing
 * when one is too old for settled_requests and the log store cannot be asked for it.
 */
export async function retryRefused(sql: Sql, store: Pick<SettlementStore, "book">): Promise<Retried> {
  const rows = await sql<{ row: string; requestId: string; userId: number }[]>`
    select row, request_id as "requestId", user_id as "userId" from refused_settlements order by tried_at, request_id limit ${AT_ONCE}`;
  const retried: Retried = { booked: 0, refused: 0 };
  const longAgo = await askForOld(rows.flatMap(({ row }) => parseSettlementRow(row) ?? []));
  for (const { row, requestId, userId } of rows) {
    try {
      const settlement = parseSettlementRow(row);
      if (!settlement) throw new Error("the stored row cannot be read");
      if (!longAgo.hasSettlement(settlement)) await store.book(null, [settlement]);
      await sql`delete from refused_settlements where request_id = ${requestId} and user_id = ${userId}`;
      retried.booked += 1;
    } catch (error) {
      await noteFailure(sql, { requestId, userId }, error);
      retried.refused += 1;
    }
  }
  return retried;
}

async function askForOld(rows: readonly SettlementRow[]): Promise<BookedLongAgo> {
  try {
    return await findBookedLongAgo(rows);
  } catch (error) {
    if (!isLogStoreAway(error)) throw error;
    throw new AppError("unavailable", "oldChargesUnknown", {}, error);
  }
}

async function noteFailure(
  sql: Sql,
  { requestId, userId }: Pick<RefusedCharge, "requestId" | "userId">,
  error: unknown,
): Promise<void> {
  const message = cleanText(error instanceof Error ? error.message : String(error));
  await sql`
    update refused_settlements set attempts = attempts + 1, code = ${sqlStateOf(error)}, message = ${message},
      tried_at = floor(extract(epoch from now()))::bigint
    where request_id = ${requestId} and user_id = ${userId}`;
}

function cleanText(text: string): string {
  return Buffer.from(text.replaceAll("\0", "").slice(0, MESSAGE_MAX)).toString();
}
