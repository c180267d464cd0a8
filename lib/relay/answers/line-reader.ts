import type { Frame } from "../wire/canonical/machine";

/** Limit for a line without an end; a longer one fails the response. */
const LINE_CHARACTERS_MAX = 10 * 1_048_576;

/** Reads a stream of JSON objects, one a line. Empty lines are left out. */
export class LineReader {
  events = 0;
  private readonly decoder = new TextDecoder();
  private rest = "";

  /** Returns the lines completed by these bytes. Throws when a line gets too long. */
  push(bytes: Buffer): Frame[] {
    return this.read(this.decoder.decode(bytes, { stream: true }));
  }

  /** Returns the rest at the end of the stream as a line. */
  end(): Frame[] {
    return this.read(`${this.decoder.decode()}\n`);
  }

  private read(text: string): Frame[] {
    this.rest += text;
    if (this.rest.length > LINE_CHARACTERS_MAX) throw new Error("a line of the stream is longer than 10 MB");
    // Joined only when a line is whole: else a long line would be copied with every piece of it.
    if (!text.includes("\n")) return [];
    const lines = this.rest.split("\n");
    this.rest = lines.pop() ?? "";
    const frames = lines.flatMap((line) => (line.trim() === "" ? [] : [{ event: null, data: line.trim() }]));
    this.events += frames.length;
    return frames;
  }
}
