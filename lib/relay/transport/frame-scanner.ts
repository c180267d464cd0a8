import { findLastObject } from "../json-splice";
import { measureText, type TextLength } from "./text-length";

const NEWLINE = 0x0a;
const COLON = 0x3a;
const USAGE = Buffer.from('"usage"');
const DATA = Buffer.from("data:");
const DONE_FRAME = Buffer.from("data: [DONE]\n\n");
/** What most chunks have nothing of. One search of a latin1 text costs a fifth of several in the bytes. */
const NOTABLE = /\[DONE\]|"usage" *: *\{/;
const USAGE_OBJECT = /"usage" *: *\{/;

/** A line longer than this is no event. */
const LINE_BYTES_MAX = 10 * 1_048_576;

/** So much of the beginning of a stream is kept as it came. */
const SAMPLE_BYTES_MAX = 32_768;
const SAMPLE_BYTES_FIRST = 1_024;
/** How much of a long stream is taken to be text when its beginning had none: a few letters in an envelope of JSON. */
const TEXT_SHARE = 0.1;

export class LineTooLong extends Error {}

/**
 * Looks through an event stream without parsing it: passes whole lines on, keeps what was reported as usage and the
 * beginning of the stream for the case that nothing is reported, and holds back the end of the stream.
 */
export class FrameScanner {
  usage: Record<string, unknown> | undefined;
  isDone = false;
  private parts: Buffer[] = [];
  private partBytes = 0;
  /** Its first `sampledBytes` are the beginning of the stream. */
  private sampled: Buffer = Buffer.alloc(0);
  private sampledBytes = 0;
  private streamBytes = 0;
  private readonly withholdUsage: boolean;

  /** `withholdUsage`: a frame with nothing but usage is not for the caller. */
  constructor(withholdUsage: boolean) {
    this.withholdUsage = withholdUsage;
  }

  /** Takes what arrived; returns what may be sent now. Throws LineTooLong. */
  push(chunk: Buffer): Buffer | null {
    if (this.isDone) return null;
    const lines = this.wholeLines(chunk);
    if (lines === null) return null;
    // Comments keep a connection alive and say nothing.
    if (lines[0] !== COLON) {
      this.streamBytes += lines.length;
      if (this.sampledBytes < SAMPLE_BYTES_MAX) this.keepSample(lines);
    }
    return NOTABLE.test(lines.toString("latin1")) ? this.inspect(lines) : lines;
  }

  /** Takes the end of the stream; returns what is left to be sent before the terminal frame. */
  end(): Buffer | null {
    const rest = this.partBytes > 0 ? this.push(Buffer.from("\n\n")) : null;
    this.isDone = true;
    return rest;
  }

  /** The bytes that tell the caller that the answer is whole. */
  get terminal(): Buffer {
    return DONE_FRAME;
  }

  /** The beginning of the stream, for counting tokens when nothing is reported. */
  sample(): { frames: Buffer; isAll: boolean } {
    const frames = this.sampled.subarray(0, this.sampledBytes);
    return { frames, isAll: this.sampledBytes === this.streamBytes };
  }

  /** How much the model wrote: exact for a stream that the sample holds whole, else as much per byte as in the sample. */
  textLength(): TextLength {
    const { asciiBytes, otherBytes } = measureText(this.sample().frames);
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

  /** Goes line by line: the rare chunk that carries usage or the end. */
  private inspect(lines: Buffer): Buffer | null {
    const kept: Buffer[] = [];
    for (let at = 0; at < lines.length; ) {
      const end = lines.indexOf(NEWLINE, at) + 1 || lines.length;
      const line = lines.subarray(at, end);
      at = end;
      if (isDoneLine(line)) {
        this.isDone = true;
        break;
      }
      const usage = USAGE_OBJECT.test(line.toString("latin1")) ? findLastObject(line, USAGE) : undefined;
      if (usage) this.usage = usage;
      if (!usage || !this.withholdUsage || !isUsageOnly(line)) kept.push(line);
    }
    return kept.length > 0 ? Buffer.concat(kept) : null;
  }
}

function isDoneLine(line: Buffer): boolean {
  return (
    line.subarray(0, DATA.length).equals(DATA) && line.subarray(DATA.length).toString("latin1").trim() === "[DONE]"
  );
}

/** A frame whose choices are empty or absent; one that ends a choice belongs to the caller. */
function isUsageOnly(line: Buffer): boolean {
  try {
    const frame = JSON.parse(line.subarray(DATA.length).toString("utf8")) as { choices?: unknown };
    return !Array.isArray(frame.choices) || frame.choices.length === 0;
  } catch {
    return false;
  }
}
