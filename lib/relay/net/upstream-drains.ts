import type { OptionValues } from "@/lib/option/registry";
import { type Answer, EMPTY_REPORT, type Report } from "../answers/answer";

/** 0 of bytes or of a count = nothing is drained; 0 of a time = nothing of its kind is. */
export type DrainLimits = {
  /** From the moment the caller left, for a stream of which something had reached it. */
  ms: number;
  /** The same for all else: whole answers, and streams that had brought nothing yet. */
  unseenMs: number;
  /** Received of one stream after the caller left. A whole answer has bounds of its own. */
  bytes: number;
  /** Answers that are drained at the same time in this process, and of them those of one user. */
  count: number;
  countOfUser: number;
};

/** What a caller leaves. `isShown`: something of it has reached the caller. */
export type LeftAnswer = { userId: number; isShown: boolean; isStream: boolean };

/** What became of an answer after its caller had left. */
export type Drained = {
  /** All that arrived, before and after. */
  report: Report;
  /** The end of the answer arrived within the limits. */
  isWhole: boolean;
  /** The upstream ended it without an answer: with this status, or null where it broke off. Absent = it did not. */
  failed?: { status: number | null };
  ms: number;
};

/** When the process stops, drains that are running end after this time at the latest. */
const STOPPING_MS = 1_000;

/** Reads on the answers whose callers have left, because only their end says what the upstream bills for them. */
export class UpstreamDrains {
  /** No drain runs longer than until then. */
  endsBefore = Number.POSITIVE_INFINITY;
  private running = 0;
  private readonly runningByUser = new Map<number, number>();
  private readonly limits: () => DrainLimits;

  constructor(limits: () => DrainLimits) {
    this.limits = limits;
  }

  /** Null = the limits leave no room for it. */
  begin(answer: Answer, left: LeftAnswer): UpstreamDrain | null {
    const { ms: shownMs, unseenMs, bytes, count, countOfUser } = this.limits();
    const ms = left.isShown ? shownMs : unseenMs;
    const ofUser = this.runningByUser.get(left.userId) ?? 0;
    if (ms === 0 || bytes === 0 || this.endsBefore < Number.POSITIVE_INFINITY) return null;
    if (this.running >= count || ofUser >= countOfUser) return null;
    this.running += 1;
    this.runningByUser.set(left.userId, ofUser + 1);
    const bytesMax = left.isStream ? bytes : Number.POSITIVE_INFINITY;
    return new UpstreamDrain(this, answer, left, { ms, bytes: bytesMax });
  }

  ended(userId: number): void {
    this.running -= 1;
    const ofUser = (this.runningByUser.get(userId) ?? 1) - 1;
    if (ofUser === 0) this.runningByUser.delete(userId);
    else this.runningByUser.set(userId, ofUser);
  }

  /** Nothing is drained any more; what is being drained gets a moment. */
  stop(): void {
    this.endsBefore = Math.min(this.endsBefore, performance.now() + STOPPING_MS);
  }
}

/** For streams that can be fetched again. */
export const NO_DRAINS: Pick<UpstreamDrains, "begin"> = { begin: () => null };

/** One answer that is read on without its caller. Call `end` once. */
export class UpstreamDrain {
  /** What had been delivered when the caller left; null = nothing. */
  readonly delivered: Report | null;
  private readonly drains: UpstreamDrains;
  private readonly answer: Answer;
  private readonly userId: number;
  private readonly startedAt = performance.now();
  private readonly msMax: number;
  private bytesLeft: number;

  constructor(
    drains: UpstreamDrains,
    answer: Answer,
    { userId, isShown }: LeftAnswer,
    { ms, bytes }: Pick<DrainLimits, "ms" | "bytes">,
  ) {
    this.drains = drains;
    this.answer = answer;
    this.userId = userId;
    this.delivered = isShown ? asItIs(answer.report()) : null;
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

  end(isWhole: boolean, failed?: Drained["failed"]): Drained {
    this.drains.ended(this.userId);
    const ms = Math.round(performance.now() - this.startedAt);
    // What has neither ended nor reached the caller may not be readable.
    const report = isWhole || this.delivered ? this.answer.report() : EMPTY_REPORT;
    return { report, isWhole, ...(failed ? { failed } : {}), ms };
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
    unseenMs: options.UnseenDrainSeconds * 1_000,
    bytes: options.StreamDrainKilobytes * 1_024,
    count: options.StreamDrainsMax,
    countOfUser: options.StreamDrainsPerUserMax,
  };
}
