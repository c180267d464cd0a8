import { counter, type Family } from "./family";
import { Histogram, histogram } from "./histogram";

const FLUSH_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 15];

/** The flushes of this process since its start. */
export class FlushTotals {
  private readonly seconds = new Histogram(FLUSH_SECONDS);
  private rows = 0;
  private failures = 0;

  readonly flushed = (rows: number, tookMs: number): void => {
    this.seconds.observe(tookMs / 1_000);
    this.rows += rows;
  };

  failed(): void {
    this.failures += 1;
  }

  read(): Family[] {
    const name = "weir_flush_seconds";
    return [
      histogram(name, "How long it took to book a batch of charges", this.seconds.samples(name)),
      counter("weir_flushed_charges_total", "Charges and log rows that were booked", [
        { labels: {}, value: this.rows },
      ]),
      counter("weir_flush_failures_total", "Batches that the database did not take; they are tried again", [
        { labels: {}, value: this.failures },
      ]),
    ];
  }
}
