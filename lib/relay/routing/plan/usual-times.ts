/** Of how many answers the times are kept. */
const SAMPLES = 128;
/** With fewer, nothing is usual yet. */
export const SAMPLES_LEAST = 20;
/** After so many new samples the value is worked out again. */
const RENEW_AFTER = 8;
const SHARE = 0.95;
/** Times that nobody added to for so long are dropped. */
const IDLE_MS = 600_000;
const ENTRIES_MAX = 1_000;

/** The latest samples, oldest overwritten first. */
class Times {
  usedAt = 0;
  private readonly samples = new Float32Array(SAMPLES);
  private count = 0;
  private at = 0;
  private newSamples = 0;
  private p95Ms: number | null = null;

  add(ms: number): void {
    this.samples[this.at] = ms;
    this.at = (this.at + 1) % SAMPLES;
    if (this.count < SAMPLES) this.count += 1;
    this.newSamples += 1;
  }

  p95(): number | null {
    if (this.count < SAMPLES_LEAST) return null;
    if (this.p95Ms === null || this.newSamples >= RENEW_AFTER) {
      const sorted = this.samples.slice(0, this.count).sort();
      this.p95Ms = sorted[Math.ceil(SHARE * this.count) - 1] ?? null;
      this.newSamples = 0;
    }
    return this.p95Ms;
  }
}

/**
 * How long answers usually take, by a name that the caller makes; from the latest answers of this process. In ms on any
 * one clock. The names are bounded: the one that was not added to for longest goes first.
 */
export class UsualTimes {
  /** The one that was added to last is at the end. */
  private readonly byName = new Map<string, Times>();

  add(name: string, ms: number, now: number): void {
    let times = this.byName.get(name);
    if (times) this.byName.delete(name);
    if (!times || now - times.usedAt > IDLE_MS) {
      times = new Times();
      this.makeRoom(now);
    }
    times.usedAt = now;
    times.add(ms);
    this.byName.set(name, times);
  }

  /** What 95 of 100 answers took at most; null = too few are known. */
  p95(name: string, now: number): number | null {
    const times = this.byName.get(name);
    return times && now - times.usedAt <= IDLE_MS ? times.p95() : null;
  }

  get size(): number {
    return this.byName.size;
  }

  private makeRoom(now: number): void {
    for (const [name, { usedAt }] of this.byName) {
      if (now - usedAt <= IDLE_MS && this.byName.size < ENTRIES_MAX) return;
      this.byName.delete(name);
    }
  }
}
