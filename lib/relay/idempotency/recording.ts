/** Longer answers are not kept. */
const BYTES_MAX = 1_048_576;

/** The bytes of an answer, as long as they are few enough to be kept. */
export class Recording {
  private parts: Buffer[] = [];
  private bytes = 0;

  add(part: Buffer): void {
    this.bytes += part.length;
    if (this.bytes > BYTES_MAX) this.parts = [];
    // A chunk is a view of a larger buffer, which must not be kept for it.
    else this.parts.push(Buffer.from(part));
  }

  /** Null = they were too many. */
  body(): Buffer | null {
    return this.bytes > BYTES_MAX ? null : Buffer.concat(this.parts);
  }
}
