const BYTES_FIRST = 1_024;
/** Two lengths and a count, each in 4 bytes. */
const HEAD = 12;
/** The bytes may be so many times as long as what is kept of them. */
const TIMES_MAX = 16;
/** With more of its own, a piece is compared anew. */
const REST_USUAL = 64;

/**
 * Keeps the bytes of a stream whose pieces resemble each other, as events do that differ in a word: of each piece only what it
 * has not in common with the one before, which is a tenth of it. Pieces must not be changed afterwards.
 */
export class SimilarPieces {
  private readonly bytesMax: number;
  /** For each piece: how long its common beginning and end are, how long the rest is, and the rest. Null = it was too much. */
  private kept: Buffer | null = Buffer.alloc(0);
  private bytes = 0;
  /** Of all pieces as they were added. */
  private length = 0;
  private last: Buffer = Buffer.alloc(0);
  /** How much the two pieces before had in common, which is likely to be the same again. */
  private start = 0;
  private end = 0;

  /** `bytesMax`: what may be kept, as it is kept. */
  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  add(piece: Buffer): void {
    if (this.kept === null) return;
    if (!this.isUsual(piece)) this.compare(piece);
    const { start, end, bytes } = this;
    const rest = piece.length - start - end;
    this.length += piece.length;
    const kept = this.withRoom(this.kept, bytes + HEAD + rest);
    if (kept === null) return;
    kept.writeUInt32LE(start, bytes);
    kept.writeUInt32LE(end, bytes + 4);
    kept.writeUInt32LE(rest, bytes + 8);
    for (let i = 0; i < rest; i++) kept[bytes + HEAD + i] = piece[start + i] as number;
    this.bytes += HEAD + rest;
    this.last = piece;
  }

  private isUsual(piece: Buffer): boolean {
    const { last, start, end } = this;
    const { length } = piece;
    if (length < start + end || length - start - end > REST_USUAL || last.length < start + end) return false;
    if (piece.compare(last, 0, start, 0, start) !== 0) return false;
    return piece.compare(last, last.length - end, last.length, length - end, length) === 0;
  }

  private compare(piece: Buffer): void {
    const { last } = this;
    const shorter = Math.min(last.length, piece.length);
    let start = 0;
    while (start < shorter && piece[start] === last[start]) start += 1;
    let end = 0;
    while (end < shorter - start && piece[piece.length - 1 - end] === last[last.length - 1 - end]) end += 1;
    this.start = start;
    this.end = end;
  }

  private withRoom(kept: Buffer, needed: number): Buffer | null {
    const isTooMuch = needed > this.bytesMax || this.length > TIMES_MAX * this.bytesMax;
    if (needed <= kept.length && !isTooMuch) return kept;
    this.kept = null;
    if (isTooMuch) return null;
    const grown = Buffer.allocUnsafe(Math.min(this.bytesMax, Math.max(needed, 2 * kept.length, BYTES_FIRST)));
    kept.copy(grown, 0, 0, this.bytes);
    this.kept = grown;
    return grown;
  }

  /** All bytes as they were added; null = they were too many. */
  body(): Buffer | null {
    const { kept, bytes } = this;
    if (kept === null) return null;
    const pieces: Buffer[] = [];
    let last: Buffer = Buffer.alloc(0);
    for (let at = 0; at < bytes; ) {
      const start = kept.readUInt32LE(at);
      const end = kept.readUInt32LE(at + 4);
      const until = at + HEAD + kept.readUInt32LE(at + 8);
      last = Buffer.concat([
        last.subarray(0, start),
        kept.subarray(at + HEAD, until),
        last.subarray(last.length - end),
      ]);
      pieces.push(last);
      at = until;
    }
    return Buffer.concat(pieces);
  }
}
