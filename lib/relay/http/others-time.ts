/**
 * How long a request waits for others: its caller's body, its upstreams, and the pauses that these ask for. Waits that overlap
 * count once.
 */
export class OthersTime {
  private waits = 0;
  private since = 0;
  private sum = 0;

  /** `now`: by performance.now(). Every call needs one of `leave`. */
  enter(now: number): void {
    if (this.waits === 0) this.since = now;
    this.waits += 1;
  }

  leave(now: number): void {
    this.waits -= 1;
    if (this.waits === 0) this.sum += now - this.since;
  }

  /** Milliseconds up to now, with waits that are still open. */
  until(now: number): number {
    return this.waits === 0 ? this.sum : this.sum + now - this.since;
  }
}
