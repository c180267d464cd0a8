import type { OutboxState } from "./outbox-queries";

type Totals = OutboxState & { shippedRows: number; shippedBatches: number; failures: number };

const totals: Totals = { rows: 0, bytes: 0, oldestSeconds: 0, shippedRows: 0, shippedBatches: 0, failures: 0 };
let isKnown = false;

/** What this process has sent to the log store since its start, and what waited when it last looked; null = it never looked. */
export function shipTotals(): Readonly<Totals> | null {
  return isKnown ? totals : null;
}

export function countShipped(shipped: { batches: number; rows: number; failure: unknown }): void {
  totals.shippedRows += shipped.rows;
  totals.shippedBatches += shipped.batches;
  if (shipped.failure !== null) totals.failures += 1;
}

export function noteOutbox(state: OutboxState): void {
  Object.assign(totals, state);
  isKnown = true;
}
