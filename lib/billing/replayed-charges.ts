import type { AppliedCharge } from "./billing-store";
import type { SettlementRow } from "./settlement-row";

/**
 * A settlement that already existed was committed by an attempt whose reply was lost, so it is unknown what it took
 * from the lease: at most its cost. Subtracting the full cost keeps the slice in memory below the lease's row, which is
 * safe.
 */
export function withReplays(charges: readonly AppliedCharge[], rows: readonly SettlementRow[]): AppliedCharge[] {
  const costs = new Map<string, AppliedCharge>();
  const add = (userId: number, tokenId: number, cost: number) => {
    const key = `${userId}:${tokenId}`;
    const sum = costs.get(key) ?? { userId, tokenId, dropped: 0, left: 0 };
    costs.set(key, { ...sum, dropped: sum.dropped + cost });
  };
  for (const { userId, tokenId, quota } of rows) {
    add(userId, 0, quota);
    if (tokenId > 0) add(userId, tokenId, quota);
  }
  for (const { userId, tokenId, left } of charges) {
    const sum = costs.get(`${userId}:${tokenId}`);
    if (sum) sum.left = left;
  }
  return [...costs.values()];
}
