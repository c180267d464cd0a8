/** An amount and what was used of it: of a balance, or of a token's limit. `refunded`: by how much `used` fell lately, at most. */
export type Counter = { amount: number; used: number; refunded?: number };

/** What the client says that it saw. `amount` is exact; `used` is what a row that is sent back whole carries. */
export type Seen = { amount?: number | undefined; used?: number | undefined };

/**
 * By how much a client meant to change an amount. It sends the new amount; the change is the difference to the one that it saw:
 * the one that it names, else the one that follows from the used quota of its row, else the present one. So what was used since
 * then is not given back, and what was refunded since is not taken away. A used quota below 0, or above what it can have been, cannot
 * have been read, and is ignored.
 */
export function meantChange(wanted: number, seen: Seen, now: Counter): number {
  if (seen.amount !== undefined) return wanted - seen.amount;
  const isPast = seen.used !== undefined && seen.used >= 0 && seen.used <= now.used + (now.refunded ?? 0);
  const usedSince = isPast ? now.used - (seen.used ?? 0) : 0;
  return wanted - (now.amount + usedSince);
}

/** The used quota in a row that a client sent; undefined = it is no whole number. */
export function usedOfRow(used: unknown): number | undefined {
  return Number.isSafeInteger(used) ? Number(used) : undefined;
}
