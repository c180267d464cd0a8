import type { OutboxState } from "./outbox-queries";

type Totals = OutboxState & { shippedRows: number; shippedBatches: number; failures: number };

const totals: Totals = { rows: 0, bytes: 0, oldestSeconds: 0, shippedRows: 0, shippedBatches: 0, failures: 0 };
/** Another machine may have the job by now, so a look tells nothing after so long. */
const LOOK_HOLDS_MS = 60_000;
let lookedAt: number | null = null;

/** `isFresh`: this process has looked at the outbox lately. */
export type ShipTotals = Readonly<Totals> & { isFresh: boolean };

/**
 * What this process has sent to the log store since its start, and what waited when it last looked, if that was lately.
 * Null = it never looked.
 */
export function shipTotals(now = Date.now()): ShipTotals | null {
  return lookedAt === null ? null : { ...totals, isFresh: now - lookedAt < LOOK_HOLDS_MS };
}

export function countShipped(shipped: { batches: number; rows: number; failure: unknown }): void {
  totals.shippedRows += shipped.rows;
  totals.shippedBatches += shipped.batches;
  if (shipped.failure !== null) totals.failures += 1;
}

export function noteOutbox(state: OutboxState, now = Date.now()): void {
  Object.assign(totals, state);
  lookedAt = now;
}
