import type { TransactionSql } from "postgres";
import type { Sql } from "@/db/client";
import { type AppliedCharge, type BookResult, NodeNotRegistered, type SettlementStore } from "./billing-store";
import { keepRefused } from "./refused-commands";
import type { SettlementRow } from "./settlement-row";

/** SQLSTATE that weir_book_settlements raises. */
const NOT_REGISTERED = "WR001";

/** The settler's part of PostgreSQL. */
export function createSettlementStore(sql: Sql): SettlementStore {
  return {
    book: (nodeId, rows) => bookSettlements(sql, nodeId, rows),
    keepRefused: (row, reason) => keepRefused(sql, row, reason),
  };
}

type BookedRow = { inserted: number; userId: number | null; tokenId: number; dropped: number; left: number };

/**
 * Commits a batch: inserts the new log rows and adds the sums of exactly those to users, tokens, channels, leases and
 * usage_hourly. A settlement whose log row already exists changes nothing.
 */
export async function bookSettlements(
  sql: Sql | TransactionSql,
  nodeId: string | null,
  rows: readonly SettlementRow[],
): Promise<BookResult> {
  const batch = `[${rows.map((row) => row.json).join(",")}]`;
  const users = distinct(rows.map((row) => row.userId));
  const tokens = distinct(rows.map((row) => row.tokenId));
  const channels = distinct(rows.map((row) => row.channelId));
  // The function in db/functions/book-settlements.sql: one round trip and one transaction.
  const booked = await sql<BookedRow[]>`
    select inserted, charged_user as "userId", charged_token as "tokenId", dropped_quota as dropped, left_quota as "left"
    from weir_book_settlements(${nodeId}, ${users}::int[], ${tokens}::int[], ${channels}::int[], ${batch}::text::json)
  `.catch((error: unknown) => {
    throw isNotRegistered(error) ? new NodeNotRegistered("this process was swept", { cause: error }) : error;
  });
  const charges: AppliedCharge[] = [];
  for (const { userId, tokenId, dropped, left } of booked) {
    if (userId !== null) charges.push({ userId, tokenId, dropped, left });
  }
  return { inserted: booked[0]?.inserted ?? 0, charges };
}

function isNotRegistered(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === NOT_REGISTERED;
}

function distinct(ids: number[]): number[] {
  return [...new Set(ids)];
}
