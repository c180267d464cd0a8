import { findLastText } from "../base/json-splice";
import { type TextLength, WrittenText } from "./text-length";

/** Limit for the stored beginning of a stream. */
const SAMPLE_BYTES_MAX = 32_768;
const SAMPLE_BYTES_FIRST = 1_024;
/**
 * Share of a long stream's bytes beyond the sample assumed to be text when none was found. Most of each frame is JSON around
 * a few characters.
 */
const TEXT_SHARE = 0.1;
/** Where an answer names the tier that it was served by. */
export const TIER_KEY = '"service_tier"';

export type Sample = { frames: Buffer; isAll: boolean };

/** The text of a passing stream: stores its beginning for counting tokens without reported usage, and its length. */
export class SampledText {
  readonly written = new WrittenText();
  /** Only the first `sampledBytes` bytes are filled. */
  private sampled: Buffer = Buffer.alloc(0);
  private sampledBytes = 0;
  /** The tier that its first `searchedBytes` bytes name last. */
  private namedTier = "";
  private searchedBytes = 0;
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

  /** An estimate where no text was found in a long stream. */
  length(): TextLength {
    const { asciiBytes, otherBytes } = this.written.length;
    const beyond = asciiBytes + otherBytes === 0 ? this.streamBytes - this.sampledBytes : 0;
    return { asciiBytes: asciiBytes + Math.ceil(beyond * TEXT_SHARE), otherBytes };
  }

  /** The service tier that the sample names last; "" = none. Reads each line once, however often it is asked. */
  tier(): string {
    const added = this.sampled.subarray(this.searchedBytes, this.sampledBytes);
    this.searchedBytes = this.sampledBytes;
    this.namedTier = findLastText(added, TIER_KEY) ?? this.namedTier;
    return this.namedTier;
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
