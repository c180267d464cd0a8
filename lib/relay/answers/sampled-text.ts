import { measureText, type TextLength, WrittenText } from "./text-length";

/** Limit for the stored beginning of a stream. */
const SAMPLE_BYTES_MAX = 32_768;
const SAMPLE_BYTES_FIRST = 1_024;
/**
 * Share of a long stream's bytes assumed to be text when the sample contains none. Most of each frame is JSON around a
 * few characters.
 */
const TEXT_SHARE = 0.1;

export type Sample = { frames: Buffer; isAll: boolean };

/** The text of a passing stream: stores its beginning for counting tokens without reported usage, and its length. */
export class SampledText {
  readonly written = new WrittenText();
  /** Only the first `sampledBytes` bytes are filled. */
  private sampled: Buffer = Buffer.alloc(0);
  private sampledBytes = 0;
  private measuredBytes = 0;
  private readonly measured: TextLength = { asciiBytes: 0, otherBytes: 0 };
  private streamBytes = 0;
  private readonly keys: readonly string[];

  private readonly callKey: string | undefined;

  constructor(keys: readonly string[], callKey?: string) {
    this.keys = keys;
    this.callKey = callKey;
  }

  /** `text`: the same events as latin1. */
  add(events: Buffer, text: string): void {
    this.streamBytes += events.length;
    if (this.sampledBytes < SAMPLE_BYTES_MAX) this.keep(events);
    this.written.add(text, this.keys, this.callKey);
  }

  sample(): Sample {
    const frames = this.sampled.subarray(0, this.sampledBytes);
    return { frames, isAll: this.sampledBytes === this.streamBytes };
  }

  /** Exact when the sample holds the whole stream, otherwise extrapolated from the sample. */
  length(): TextLength {
    const { asciiBytes, otherBytes } = this.measureSample();
    const beyond = this.streamBytes - this.sampledBytes;
    if (asciiBytes + otherBytes === 0) return { asciiBytes: Math.ceil(beyond * TEXT_SHARE), otherBytes: 0 };
    const scale = this.streamBytes / this.sampledBytes;
    return { asciiBytes: Math.ceil(asciiBytes * scale), otherBytes: Math.ceil(otherBytes * scale) };
  }

  /** Reads each line of the sample once, however often it is asked. */
  private measureSample(): TextLength {
    const { measured } = this;
    const added = measureText(this.sampled.subarray(this.measuredBytes, this.sampledBytes), this.keys);
    measured.asciiBytes += added.asciiBytes;
    measured.otherBytes += added.otherBytes;
    this.measuredBytes = this.sampledBytes;
    return measured;
  }

  /** Copies into one buffer: keeping many small chunks would hold several times their size in memory. */
  private keep(events: Buffer): void {
    const end = Math.min(SAMPLE_BYTES_MAX, this.sampledBytes + events.length);
    if (end > this.sampled.length) {
      const grown = Buffer.allocUnsafe(
        Math.min(SAMPLE_BYTES_MAX, Math.max(end, 2 * this.sampled.length, SAMPLE_BYTES_FIRST)),
      );
      this.sampled.copy(grown, 0, 0, this.sampledBytes);
      this.sampled = grown;
    }
    events.copy(this.sampled, this.sampledBytes, 0, end - this.sampledBytes);
    this.sampledBytes = end;
  }
}
