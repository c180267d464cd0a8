import { findLastObject, skipValue } from "../json-splice";

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const COLON = 0x3a;
const SPACE = 0x20;
const DONE = Buffer.from("[DONE]");
const USAGE = Buffer.from('"usage"');
const DATA = Buffer.from("data:");
/** Keys whose text is what the model wrote; both content and reasoning_content end in the first. */
const TEXT_KEYS = [Buffer.from('content"'), Buffer.from('arguments"'), Buffer.from('reasoning"')] as const;
const DONE_FRAME = Buffer.from("data: [DONE]\n\n");

/** A line longer than this is no event. */
const LINE_BYTES_MAX = 10 * 1_048_576;

/** So much of a stream is kept, as it came, until it is known whether usage is reported. */
const SAMPLE_BYTES_MAX = 32_768;

export class LineTooLong extends Error {}

/**
 * Looks through an event stream without parsing it: passes whole lines on, keeps what was reported as usage, measures
 * the text for the case that nothing is reported, and holds back the end of the stream.
 */
export class FrameScanner {
  usage: Record<string, unknown> | undefined;
  isDone = false;
  asciiBytes = 0;
  otherBytes = 0;
  private parts: Buffer[] = [];
  private partBytes = 0;
  private sampled: Buffer[] = [];
  private sampledBytes = 0;
  private readonly withholdUsage: boolean;

  /** `withholdUsage`: a frame with nothing but usage is not for the caller. */
  constructor(withholdUsage: boolean) {
    this.withholdUsage = withholdUsage;
  }

  /** Takes what arrived; returns what may be sent now. Throws LineTooLong. */
  push(chunk: Buffer): Buffer | null {
    if (this.isDone) return null;
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end === 0) {
      this.keep(chunk);
      return null;
    }
    let lines = end === chunk.length ? chunk : chunk.subarray(0, end);
    if (this.partBytes > 0) lines = Buffer.concat([...this.parts, lines]);
    this.parts = [];
    this.partBytes = 0;
    if (end < chunk.length) this.keep(chunk.subarray(end));
    this.measureText(lines);
    if (this.sampledBytes < SAMPLE_BYTES_MAX) this.keepSample(lines);
    const isPlain = lines.indexOf(DONE) === -1 && !this.hasUsage(lines);
    return isPlain ? lines : this.inspect(lines);
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
    return { frames: Buffer.concat(this.sampled), isAll: this.sampledBytes < SAMPLE_BYTES_MAX };
  }

  private keepSample(lines: Buffer): void {
    this.sampled.push(lines);
    this.sampledBytes += lines.length;
  }

  private keep(part: Buffer): void {
    this.parts.push(part);
    this.partBytes += part.length;
    if (this.partBytes > LINE_BYTES_MAX) throw new LineTooLong("a line of the stream is longer than 10 MB");
  }

  private hasUsage(lines: Buffer): boolean {
    for (let at = lines.indexOf(USAGE); at !== -1; at = lines.indexOf(USAGE, at + 1)) {
      if (lines[valueAfter(lines, at + USAGE.length)] === 0x7b) return true;
    }
    return false;
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
      const usage = this.hasUsage(line) ? findLastObject(line, USAGE) : undefined;
      if (usage) {
        this.usage = usage;
        this.sampled = [];
      }
      if (!usage || !this.withholdUsage || !isUsageOnly(line)) kept.push(line);
    }
    return kept.length > 0 ? Buffer.concat(kept) : null;
  }

  /** Counts the bytes of what the model wrote. */
  measureText(lines: Buffer): void {
    for (const key of TEXT_KEYS) {
      for (let at = lines.indexOf(key); at !== -1; at = lines.indexOf(key, at)) {
        const start = valueAfter(lines, at + key.length);
        at = start;
        if (lines[start] !== QUOTE) continue;
        at = skipValue(lines, start);
        for (let i = start + 1; i < at - 1; i++) {
          if ((lines[i] ?? 0) < 0x80) this.asciiBytes += 1;
          else this.otherBytes += 1;
        }
      }
    }
  }
}

/** The index of the value after a key's closing quote; the index itself when no colon follows. */
function valueAfter(bytes: Buffer, at: number): number {
  let i = at;
  while (bytes[i] === SPACE) i += 1;
  if (bytes[i] !== COLON) return i;
  i += 1;
  while (bytes[i] === SPACE) i += 1;
  return i;
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
