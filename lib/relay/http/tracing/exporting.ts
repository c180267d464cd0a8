import type { ExportResult } from "@opentelemetry/core";
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter } from "@opentelemetry/sdk-trace-base";
import { logger } from "@/lib/logger";

const REPORT_MS = 60_000;
const SUCCESS = 0;

/** Counts the spans that an exporter could not deliver. */
class CountingExporter implements SpanExporter {
  failed = 0;
  private readonly exporter: SpanExporter;
  private readonly onTaken: (spans: number) => void;

  constructor(exporter: SpanExporter, onTaken: (spans: number) => void) {
    this.exporter = exporter;
    this.onTaken = onTaken;
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.onTaken(spans.length);
    this.exporter.export(spans, (result) => {
      if (result.code !== SUCCESS) this.failed += spans.length;
      done(result);
    });
  }

  shutdown(): Promise<void> {
    return this.exporter.shutdown();
  }
}

/** The SDK's queue, which is bounded, with a count of what it lost: the SDK itself only writes that to its own log. */
export class CountingProcessor extends BatchSpanProcessor {
  private readonly exporter: CountingExporter;
  private readonly queueMax: number;
  private queued = 0;
  private overflowed = 0;
  private reported = 0;
  private reportedAt = Number.NEGATIVE_INFINITY;

  constructor(exporter: SpanExporter, queueMax: number) {
    const counting = new CountingExporter(exporter, (spans) => {
      this.queued -= spans;
      this.report();
    });
    super(counting, { maxQueueSize: queueMax });
    this.exporter = counting;
    this.queueMax = queueMax;
  }

  override onEnd(span: ReadableSpan): void {
    if ((span.spanContext().traceFlags & 1) === 0) return;
    if (this.queued >= this.queueMax) {
      this.overflowed += 1;
      return;
    }
    this.queued += 1;
    super.onEnd(span);
  }

  dropped(): number {
    return this.overflowed + this.exporter.failed;
  }

  private report(): void {
    const dropped = this.dropped();
    const now = performance.now();
    if (dropped === this.reported || now - this.reportedAt < REPORT_MS) return;
    logger.warn({ dropped: dropped - this.reported }, "spans were dropped; the collector is away or too slow");
    this.reported = dropped;
    this.reportedAt = now;
  }
}
