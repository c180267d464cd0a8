import { Transform, type TransformCallback } from "node:stream";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** JSON whose texts are cut to a length, so that an answer with a file in it can be read without holding the file. */
export class ShortTexts extends Transform {
  private readonly max: number;
  private isText = false;
  private isEscaped = false;
  private length = 0;

  constructor(max: number) {
    super();
    this.max = max;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (!this.isText) {
        if (byte !== QUOTE) continue;
        this.isText = true;
        this.length = 0;
      } else if (this.isEscaped) this.isEscaped = false;
      else if (byte === QUOTE) {
        if (this.length > this.max) from = at;
        this.isText = false;
      } else {
        this.isEscaped = byte === BACKSLASH;
        this.length += 1;
        // Not within an escape: what is kept must stay JSON.
        if (this.length === this.max + 1 && !this.isEscaped) this.push(chunk.subarray(from, at));
        else if (this.length === this.max + 1) this.length -= 1;
        if (this.length > this.max) from = chunk.length;
      }
    }
    if (from < chunk.length) this.push(chunk.subarray(from));
    done();
  }
}
