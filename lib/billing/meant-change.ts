/** An amount and what was used of it: of a balance, or of a token's limit. `refunded`: by how much `used` fell lately, at most. */
export type Counter = { amount: number; used: number; refunded?: number };

/** What the client says that it saw. `amount` is exact; `used` is what a row that is sent back whole carries. */
export type Seen = { amount?: number | undefined; used?: number | undefined };

/**
 * By how much a client meant to change an amount. It sends a sum; what it meant is the difference to what it saw: as it says, or
 * by the used quota of a row that was read before, or else what is there now. So what was used since is not given back, and what
 * was given back since is not taken away. A used quota that cannot have been read, of less than nothing or more than there was, says
 * nothing.
 */
export function meantChange(wanted: number, seen: Seen, now: Counter): number {
  if (seen.amount !== undefined) return wanted - seen.amount;
  const isPast = seen.used !== undefined && seen.used >= 0 && seen.used <= now.used + (now.refunded ?? 0);
  const usedSince = isPast ? now.used - (seen.used ?? 0) : 0;
  return wanted - (now.amount + usedSince);
}

/** The used quota of a row at the wire, where it is one. */
export function usedOfRow(used: unknown): number | undefined {
  return Number.isSafeInteger(used) ? Number(used) : undefined;
}
