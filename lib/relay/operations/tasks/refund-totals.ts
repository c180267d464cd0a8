const totals = { refunds: 0, quota: 0 };

/** To be called when it is committed. */
export function countRefund(quota: number): void {
  totals.refunds += 1;
  totals.quota += quota;
}

/** What this process gave back for tasks since its start. */
export function refundTotals(): Readonly<typeof totals> {
  return totals;
}
