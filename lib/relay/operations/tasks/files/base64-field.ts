import { Transform, type TransformCallback } from "node:stream";

const QUOTE = 0x22;
const COMMA = 0x2c;
const SPACE = /[\s:]/;

/** The bytes of the first field of this name in a JSON text, whose value is base64 without escapes. Nothing is held. */
export class Base64Field extends Transform {
  private readonly key: Buffer;
  /** Before the value: the end of what was read; within it: what is no whole group of four yet. */
  private rest: Buffer = Buffer.alloc(0);
  private state: "before" | "opening" | "within" | "after" | "none" = "before";

  constructor(field: string) {
    super();
    this.key = Buffer.from(`"${field}"`);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let given: Buffer = Buffer.concat([this.rest, chunk]);
    this.rest = Buffer.alloc(0);
    if (this.state === "before") {
      const at = given.indexOf(this.key);
      if (at === -1) this.rest = given.subarray(Math.max(0, given.length - this.key.length));
      else {
        this.state = "opening";
        given = given.subarray(at + this.key.length);
      }
    }
    if (this.state === "opening") given = this.open(given);
    if (this.state === "within") this.decode(given);
    done();
  }

  /** What follows the quote before the value. */
  private open(given: Buffer): Buffer {
    let at = 0;
    while (at < given.length && SPACE.test(String.fromCharCode(given[at] ?? COMMA))) at += 1;
    if (at === given.length) return given.subarray(at);
    this.state = given[at] === QUOTE ? "within" : "none";
    return given.subarray(at + 1);
  }

  private decode(given: Buffer): void {
    const end = given.indexOf(QUOTE);
    const value = end === -1 ? given : given.subarray(0, end);
    const whole = end === -1 ? value.length - (value.length % 4) : value.length;
    if (whole > 0) this.push(Buffer.from(value.toString("latin1", 0, whole), "base64"));
    if (end === -1) this.rest = Buffer.from(value.subarray(whole));
    else this.state = "after";
  }

  override _flush(done: TransformCallback): void {
    done(this.state === "after" ? null : new Error("the answer has no file in it"));
  }
}
