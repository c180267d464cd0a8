import type { LineReader, PassThrough } from "../dialects/dialect";
import { measureText, type TextLength, WrittenText } from "./text-length";

const NEWLINE = 0x0a;
const COLON = 0x3a;
const SPACE = 0x20;

/** Limit for a line without an end; a longer one fails the response. */
const LINE_BYTES_MAX = 10 * 1_048_576;
/** Limit for the stored bytes from the upstream's end marker on. */
const HELD_BYTES_MAX = 65_536;

/** Limit for the stored beginning of a stream. */
const SAMPLE_BYTES_MAX = 32_768;
const SAMPLE_BYTES_FIRST = 1_024;
/**
 * Share of a long stream's bytes assumed to be text when the sample contains none. Most of each frame is JSON around a
 * few characters.
 */
const TEXT_SHARE = 0.1;

export class LineTooLong extends Error {}

/**
 * Scans an event stream without parsing every line: forwards complete lines, passes the few notable ones to the
 * dialect's line reader, stores the beginning of the stream for counting tokens without reported usage, and holds back
 * the end.
 */
export class StreamScanner {
  isDone = false;
  /** Chunks with an event's data. */
  events = 0;
  readonly written = new WrittenText();
  /** The lines that came last. */
  last: Buffer = Buffer.alloc(0);
  private parts: Buffer[] = [];
  private partBytes = 0;
  /** Only the first `sampledBytes` bytes are filled. */
  private sampled: Buffer = Buffer.alloc(0);
  private sampledBytes = 0;
  private measuredBytes = 0;
  private readonly measured: TextLength = { asciiBytes: 0, otherBytes: 0 };
  private streamBytes = 0;
  private held: Buffer[] = [];
  private heldBytes = 0;
  private readonly dialect: PassThrough;
  private readonly reader: LineReader;

  constructor(dialect: PassThrough, reader: LineReader) {
    this.dialect = dialect;
    this.reader = reader;
  }

  /** Takes received bytes; returns what can be sent now. Throws LineTooLong. */
  push(chunk: Buffer): Buffer | null {
    if (this.isDone) {
      this.hold(chunk);
      return null;
    }
    const lines = this.wholeLines(chunk);
    if (lines === null) return null;
    // Comments only keep the connection alive, and blank lines.
    if ((lines[0] ?? 0) > SPACE && lines[0] !== COLON) {
      this.events += 1;
      this.streamBytes += lines.length;
      if (this.sampledBytes < SAMPLE_BYTES_MAX) this.keepSample(lines);
    }
    this.last = lines;
    // One search in a latin1 string takes a fifth of the time of several searches in the bytes.
    const text = lines.toString("latin1");
    this.written.add(text, this.dialect.textKeys);
    return this.dialect.notableLines.test(text) ? this.inspect(lines) : lines;
  }

  /** Called at the end of the stream; returns what to send before the terminal frame. */
  end(): Buffer | null {
    const rest = !this.isDone && this.partBytes > 0 ? this.push(Buffer.from("\n\n")) : null;
    this.isDone = true;
    return rest;
  }

  /** The bytes that tell the client that the stream is complete. */
  get terminal(): Buffer {
    return Buffer.from(this.dialect.terminal(Buffer.concat(this.held).toString("utf8")));
  }

  /** The stored beginning of the stream, for counting tokens when no usage is reported. */
  sample(): { frames: Buffer; isAll: boolean } {
    const frames = this.sampled.subarray(0, this.sampledBytes);
    return { frames, isAll: this.sampledBytes === this.streamBytes };
  }

  /** Length of the model's text: exact when the sample holds the whole stream, otherwise extrapolated from the sample. */
  textLength(): TextLength {
    const { asciiBytes, otherBytes } = this.measureSample();
    const beyond = this.streamBytes - this.sampledBytes;
    if (asciiBytes + otherBytes === 0) return { asciiBytes: Math.ceil(beyond * TEXT_SHARE), otherBytes: 0 };
    const scale = this.streamBytes / this.sampledBytes;
    return { asciiBytes: Math.ceil(asciiBytes * scale), otherBytes: Math.ceil(otherBytes * scale) };
  }

  /** Reads each line of the sample once, however often it is asked. */
  private measureSample(): TextLength {
    const { measured } = this;
    const added = measureText(this.sampled.subarray(this.measuredBytes, this.sampledBytes), this.dialect.textKeys);
    measured.asciiBytes += added.asciiBytes;
    measured.otherBytes += added.otherBytes;
    this.measuredBytes = this.sampledBytes;
    return measured;
  }

  /** Returns the complete lines; the beginning of an unfinished line is kept for the next call. */
  private wholeLines(chunk: Buffer): Buffer | null {
    // Usually a chunk ends with a complete event.
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

  /** Copies into one buffer: keeping many small chunks would hold several times their size in memory. */
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

  /** Reads line by line. Needed only for the rare chunks with usage, a finish reason or the end marker. */
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
