/** So many requests can be hedged at once after a quiet time. */
const SAVED_MAX = 10;
const WHOLE = 100;

/**
 * Bounds how many requests are hedged: of all requests at most the given share, and in any stretch of time that share of
 * its requests plus ten.
 */
export class HedgeShare {
  /** In hundredths of a hedge. */
  private saved = 0;

  /** Counts a request. `percent`: how many of a hundred requests may be hedged. */
  count(percent: number): void {
    this.saved = Math.min(this.saved + percent, SAVED_MAX * WHOLE);
  }

  get hasRoom(): boolean {
    return this.saved >= WHOLE;
  }

  /** Only while `hasRoom`. */
  take(): void {
    this.saved -= WHOLE;
  }

  /** What was taken was not used. */
  giveBack(): void {
    this.saved += WHOLE;
  }
}
