import type { CallerStream } from "./caller-stream";

/** How often it is looked whether a caller has waited for long enough to be told. */
const LOOK_MS = 1_000;

/**
 * Streams whose end is held back until their charge cannot be lost any more. While disk and database take long, their callers and the
 * proxies before them get comments, so that none of them gives the answer up. One timer for all, which runs while somebody
 * waits.
 */
export class CommitWaits {
  private readonly waiting = new Map<CallerStream, number>();
  private readonly lookMs: number;
  private timer: NodeJS.Timeout | undefined;

  constructor(lookMs = LOOK_MS) {
    this.lookMs = lookMs;
  }

  /** `everyMs`: after so long without a byte comes a comment. */
  through(committed: Promise<void>, stream: CallerStream | null, everyMs: number): Promise<void> {
    return stream && everyMs !== Number.POSITIVE_INFINITY ? this.held(committed, stream, everyMs) : committed;
  }

  private async held(committed: Promise<void>, stream: CallerStream, everyMs: number): Promise<void> {
    this.waiting.set(stream, everyMs);
    this.timer ??= setInterval(() => this.look(), Math.min(this.lookMs, everyMs)).unref();
    try {
      await committed;
    } finally {
      this.waiting.delete(stream);
    }
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private look(): void {
    // Stopped here and not at the end of each wait: under load there is always somebody.
    if (this.waiting.size === 0) {
      this.stop();
      return;
    }
    const now = performance.now();
    for (const [stream, everyMs] of this.waiting) stream.keepAlive(now, everyMs);
  }
}
