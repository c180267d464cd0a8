import type { LineReader, PassThrough } from "../dialects/dialect";
import { measureText, type TextLength } from "./text-length";

const NEWLINE = 0x0a;
const COLON = 0x3a;

/** A line longer than this is no event. */
const LINE_BYTES_MAX = 10 * 1_048_576;
/** So much of the upstream's own end is kept. */
const HELD_BYTES_MAX = 65_536;

/** So much of the beginning of a stream is kept as it came. */
const SAMPLE_BYTES_MAX = 32_768;
const SAMPLE_BYTES_FIRST = 1_024;
/** How much of a long stream is taken to be text when its beginning had none: a few letters in an envelope of JSON. */
const TEXT_SHARE = 0.1;

export class LineTooLong extends Error {}

/**
 * Looks through an event stream without parsing it: passes whole lines on, shows the few that say more than text to the
 * dialect's line reader, keeps the beginning of the stream in case no usage is reported, and holds back its end.
 */
export class StreamScanner {
  isDone = false;
  private parts: Buffer[] = [];
  private partBytes = 0;
  /** Its first `sampledBytes` are the beginning of the stream. */
  private sampled: Buffer = Buffer.alloc(0);
  private sampledBytes = 0;
  private streamBytes = 0;
  private held: Buffer[] = [];
  private heldBytes = 0;
  private readonly dialect: PassThrough;
  private readonly reader: LineReader;

  constructor(dialect: PassThrough, reader: LineReader) {
    this.dialect = dialect;
    this.reader = reader;
  }

  /** Takes what arrived; returns what may be sent now. Throws LineTooLong. */
  push(chunk: Buffer): Buffer | null {
    if (this.isDone) {
      this.hold(chunk);
      return null;
    }
    const lines = this.wholeLines(chunk);
    if (lines === null) return null;
    // Comments keep a connection alive and say nothing.
    if (lines[0] !== COLON) {
      this.streamBytes += lines.length;
      if (this.sampledBytes < SAMPLE_BYTES_MAX) this.keepSample(lines);
    }
    // One search of a latin1 text costs a fifth of several in the bytes.
    return this.dialect.notableLines.test(lines.toString("latin1")) ? this.inspect(lines) : lines;
  }

  /** Takes the end of the stream; returns what is left to be sent before the terminal frame. */
  end(): Buffer | null {
    const rest = !this.isDone && this.partBytes > 0 ? this.push(Buffer.from("\n\n")) : null;
    this.isDone = true;
    return rest;
  }

  /** The bytes that tell the caller that the answer is whole. */
  get terminal(): Buffer {
    return Buffer.from(this.dialect.terminal(Buffer.concat(this.held).toString("utf8")));
  }

  /** The beginning of the stream, for counting tokens when nothing is reported. */
  sample(): { frames: Buffer; isAll: boolean } {
    const frames = this.sampled.subarray(0, this.sampledBytes);
    return { frames, isAll: this.sampledBytes === this.streamBytes };
  }

  /** How much the model wrote: exact for a stream that the sample holds whole, else as much per byte as in the sample. */
  textLength(): TextLength {
    const { asciiBytes, otherBytes } = measureText(this.sample().frames, this.dialect.textKeys);
    const beyond = this.streamBytes - this.sampledBytes;
    if (asciiBytes + otherBytes === 0) return { asciiBytes: Math.ceil(beyond * TEXT_SHARE), otherBytes: 0 };
    const scale = this.streamBytes / this.sampledBytes;
    return { asciiBytes: Math.ceil(asciiBytes * scale), otherBytes: Math.ceil(otherBytes * scale) };
  }

  /** The lines that are whole by now; the beginning of the next one is kept. */
  private wholeLines(chunk: Buffer): Buffer | null {
    // Upstreams send whole events as a rule.
    const end = chunk[chunk.length - 1] === NEWLINE ? chunk.length : chunk.lastIndexOf(NEWLINE) + 1;
    if (end === chunk.length && this.partBytes === 0) return chunk;
    if (end === 0) {
      this.keep(chunk);
      return null;
    }
    const lines = Buffer.concat([...this.parts, chunk.subarray(0, end)]);
    this.parts = [];
    this.partBytes = 0;
    if (end < chunk.length) this.keep(chunk.subarray(end));
    return lines;
  }

  private keep(part: Buffer): void {
    this.parts.push(part);
    this.partBytes += part.length;
    if (this.partBytes > LINE_BYTES_MAX) throw new LineTooLong("a line of the stream is longer than 10 MB");
  }

  private hold(bytes: Buffer): void {
    if (this.heldBytes + bytes.length > HELD_BYTES_MAX) return;
    this.held.push(bytes);
    this.heldBytes += bytes.length;
  }

  /** Copies into one piece of memory: many small chunks kept as they came would hold several times their size. */
  private keepSample(lines: Buffer): void {
    const end = Math.min(SAMPLE_BYTES_MAX, this.sampledBytes + lines.length);
    if (end > this.sampled.length) {
      const grown = Buffer.allocUnsafe(
        Math.min(SAMPLE_BYTES_MAX, Math.max(end, 2 * this.sampled.length, SAMPLE_BYTES_FIRST)),
      );
      this.sampled.copy(grown, 0, 0, this.sampledBytes);
      this.sampled = grown;
    }
    lines.copy(this.sampled, this.sampledBytes, 0, end - this.sampledBytes);
    this.sampledBytes = end;
  }

  /** Goes line by line: the rare chunk that carries usage, the finish reason or the end. */
  private inspect(lines: Buffer): Buffer | null {
    const kept: Buffer[] = [];
    for (let at = 0; at < lines.length; ) {
      const end = lines.indexOf(NEWLINE, at) + 1 || lines.length;
      const line = lines.subarray(at, end);
      const kind = this.reader.read(line.toString("utf8").trimEnd());
      if (kind === "end") {
        this.isDone = true;
        this.hold(lines.subarray(at));
        if (this.partBytes > 0) this.hold(Buffer.concat(this.parts));
        this.parts = [];
        this.partBytes = 0;
        break;
      }
      if (kind === "pass") kept.push(line);
      at = end;
    }
    return kept.length > 0 ? Buffer.concat(kept) : null;
  }
}
