/** What this process has archived since its start. */
const totals = { rows: 0, bytes: 0, failures: 0 };

export function countArchive(rows: number, bytes: number): void {
  totals.rows += rows;
  totals.bytes += bytes;
}

export function countArchiveFailure(): void {
  totals.failures += 1;
}

export function archiveTotals(): Readonly<typeof totals> {
  return totals;
}
