import { nowSeconds } from "@/lib/clock";
import { findShipped, keyOf, SETTLED_KEPT_SECONDS } from "@/lib/log-store/shipped-queries";
import { createdAtOf } from "./outbox-batch";
import type { SettlementRow } from "./settlement-row";

export type BookedLongAgo = {
  /** This very settlement. */
  hasSettlement: (row: SettlementRow) => boolean;
  /** Any row of the request: the note of a stream has another time than its settlement. */
  hasRequest: (row: SettlementRow) => boolean;
};

/**
 * What the log store has of charges that are too old for settled_requests, e.g. in the journal of a machine that was off for
 * days. `now`: when settled_requests was as it is looked at. `beforeId`: only rows with smaller ids count. Does not ask when
 * none is so old; throws the AppError logStoreAway when it must ask and cannot.
 */
export async function findBookedLongAgo(
  rows: readonly SettlementRow[],
  { now = nowSeconds(), beforeId }: { now?: number; beforeId?: number } = {},
): Promise<BookedLongAgo> {
  const keys = rows.map((row) => ({ requestId: row.requestId, createdAt: createdAtOf(row) }));
  const old = keys.filter(({ createdAt }) => createdAt < now - SETTLED_KEPT_SECONDS);
  const found = await findShipped(old, beforeId);
  return {
    hasSettlement: (row) => found.has(keyOf({ ...row, createdAt: createdAtOf(row) })),
    hasRequest: ({ requestId }) => found.has(requestId),
  };
}
