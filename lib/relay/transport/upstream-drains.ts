import type { OptionValues } from "@/lib/option/registry";
import type { Answer, Report } from "../answers/answer";

/** 0 of anything = no stream is drained. */
export type DrainLimits = {
  /** From the moment the caller left. */
  ms: number;
  /** Received of one stream after the caller left. */
  bytes: number;
  /** Streams that are drained at the same time in this process. */
  count: number;
};

/** What became of a stream after its caller had left. */
export type Drained = {
  /** All that arrived, before and after. */
  report: Report;
  /** The end of the stream arrived within the limits. */
  isWhole: boolean;
  ms: number;
};

/** When the process stops, drains that are running end after this time at the latest. */
const STOPPING_MS = 1_000;

/** Reads on the streams whose callers have left, because only their end says what the upstream bills for them. */
export class UpstreamDrains {
  /** No drain runs longer than until then. */
  endsBefore = Number.POSITIVE_INFINITY;
  private running = 0;
  private readonly limits: () => DrainLimits;

  constructor(limits: () => DrainLimits) {
    this.limits = limits;
  }

  /** Null = the limits leave no room for it. */
  begin(answer: Answer): UpstreamDrain | null {
    const limits = this.limits();
    if (limits.ms === 0 || limits.bytes === 0) return null;
    if (this.running >= limits.count || this.endsBefore < Number.POSITIVE_INFINITY) return null;
    this.running += 1;
    return new UpstreamDrain(this, answer, limits);
  }

  ended(): void {
    this.running -= 1;
  }

  /** No stream is drained any more; what is being drained gets a moment. */
  stop(): void {
    this.endsBefore = Math.min(this.endsBefore, performance.now() + STOPPING_MS);
  }
}

/** For streams that can be fetched again. */
export const NO_DRAINS: Pick<UpstreamDrains, "begin"> = { begin: () => null };

/** One stream that is read on without its caller. Call `end` once. */
export class UpstreamDrain {
  /** What had been delivered when the caller left. */
  readonly delivered: Report;
  private readonly drains: UpstreamDrains;
  private readonly answer: Answer;
  private readonly startedAt = performance.now();
  private readonly msMax: number;
  private bytesLeft: number;

  constructor(drains: UpstreamDrains, answer: Answer, { ms, bytes }: DrainLimits) {
    this.drains = drains;
    this.answer = answer;
    this.delivered = asItIs(answer.report());
    this.msMax = ms;
    this.bytesLeft = bytes;
  }

  /** False = that is more than may be read. */
  take(bytes: number): boolean {
    this.bytesLeft -= bytes;
    return this.bytesLeft >= 0;
  }

  isLate(now: number): boolean {
    return now - this.startedAt > this.msMax || now > this.drains.endsBefore;
  }

  end(isWhole: boolean): Drained {
    this.drains.ended();
    return { report: this.answer.report(), isWhole, ms: Math.round(performance.now() - this.startedAt) };
  }
}

/** A report reads what has arrived by the time it is asked; this one stays as it is now. */
function asItIs(report: Report): Report {
  const textBytes = report.textBytes();
  const textLength = report.textLength();
  const sample = report.sample();
  return {
    ...report,
    usage: report.usage && { ...report.usage },
    textBytes: () => textBytes,
    textLength: () => textLength,
    sample: () => sample,
  };
}

export function drainLimits(options: OptionValues): DrainLimits {
  return {
    ms: options.StreamDrainSeconds * 1_000,
    bytes: options.StreamDrainKilobytes * 1_024,
    count: options.StreamDrainsMax,
  };
}
