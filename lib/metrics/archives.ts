import { archiveTotals } from "@/lib/archive/totals";
import { counter, type Family, one } from "./family";

/** What this worker has archived. */
export function readArchives(): Family[] {
  const { rows, bytes, failures } = archiveTotals();
  return [
    counter("weir_archived_rows_total", "Rows of the usage log that were archived", one(rows)),
    counter("weir_archived_bytes_total", "Bytes of the archives they are in", one(bytes)),
    counter("weir_archive_failures_total", "Turns of the worker in which archiving failed", one(failures)),
  ];
}
