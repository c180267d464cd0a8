import { archiveTotals } from "@/lib/archive/totals";
import { type ShipTotals, shipTotals } from "@/lib/log-store/ship-totals";
import { counter, type Family, gauge, one } from "./family";

/** Empty without a log store. What waits is the same for all machines, and the one that ships knows it. */
export function readLogStore(): Family[] {
  const totals = shipTotals();
  return totals ? logStoreFigures(totals) : [];
}

export function logStoreFigures(totals: ShipTotals): Family[] {
  const seen = (value: number) => (totals.isFresh ? one(value) : []);
  return [
    gauge("weir_log_outbox_rows", "Log rows that wait for the log store", seen(totals.rows), "max"),
    gauge("weir_log_outbox_bytes", "Their size before compression", seen(totals.bytes), "max"),
    gauge(
      "weir_log_outbox_oldest_seconds",
      "How long the oldest of them has waited",
      seen(totals.oldestSeconds),
      "max",
    ),
    counter("weir_log_shipped_rows_total", "Log rows sent to the log store", one(totals.shippedRows)),
    counter("weir_log_shipped_batches_total", "Batches in which they were sent", one(totals.shippedBatches)),
    counter("weir_log_shipping_failures_total", "Runs that could not send everything", one(totals.failures)),
  ];
}

/** What this worker has archived. */
export function readArchives(): Family[] {
  const { rows, bytes, failures } = archiveTotals();
  return [
    counter("weir_archived_rows_total", "Rows of the usage log that were archived", one(rows)),
    counter("weir_archived_bytes_total", "Bytes of the archives they are in", one(bytes)),
    counter("weir_archive_failures_total", "Turns of the worker in which archiving failed", one(failures)),
  ];
}
