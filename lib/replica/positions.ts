type Sample = { at: number; position: number };

/**
 * How far the primary had written at which time. A position is a number of bytes since the cluster was made; times are those
 * of `performance.now()`. Measured this way a replica does not seem to lag while nothing is written.
 */
export class Positions {
  private samples: Sample[] = [];
  private readonly keepMs: number;

  constructor(keepMs: number) {
    this.keepMs = keepMs;
  }

  add(at: number, position: number): void {
    const last = this.samples.at(-1);
    // A fail-over without synchronous replication has lost the end: what was seen before is no measure any more.
    if (last && position < last.position) this.samples = [];
    this.samples.push({ at, position });
    const begin = at - this.keepMs;
    while ((this.samples[1]?.at ?? at) < begin) this.samples.shift();
  }

  newest(): Sample | null {
    return this.samples.at(-1) ?? null;
  }

  /** What was written by then; the oldest that is known where it is younger. Null = nothing is known. */
  by(at: number): number | null {
    const known = this.samples.findLast((sample) => sample.at <= at) ?? this.samples[0];
    return known?.position ?? null;
  }

  /** Since when something is written that this position does not include; 0 = it includes all. */
  lagMs(now: number, position: number): number {
    const missing = this.samples.find((sample) => sample.position > position);
    return missing ? Math.max(0, now - missing.at) : 0;
  }
}
