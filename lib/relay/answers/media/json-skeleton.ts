import type { Json } from "../../wire/canonical/json";
import { parseJsonObject } from "../../wire/dialects/common/json-text";

/** Of a longer text only the beginning is kept. */
const TEXT_MAX = 1_024;
/** What is left of an answer without its long texts is small. */
const SKELETON_MAX = 262_144;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const U = 0x75;
const HEX_DIGITS = 4;
const CHARACTER = -1;

/** JSON as it arrives, with its long texts cut: pictures and sounds are megabytes, what is said of them is not. */
export class JsonSkeleton {
  /** As Latin-1. */
  private kept = "";
  private isInText = false;
  /** Bytes of the text so far. */
  private textBytes = 0;
  /** What is left of an escape: its character, or digits; 0 = there is none. */
  private escape = 0;
  private keepsEscape = false;
  private readonly keptMax: number;

  constructor(keptMax = SKELETON_MAX) {
    this.keptMax = keptMax;
  }

  /** Throws when it is not what answers look like. */
  push(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length) at = this.isInText ? this.passText(bytes, at) : this.passOutside(bytes, at);
    if (this.kept.length > this.keptMax) throw new Error("the upstream's response has too many values");
  }

  private passOutside(bytes: Buffer, from: number): number {
    const quote = bytes.indexOf(QUOTE, from);
    const end = quote === -1 ? bytes.length : quote + 1;
    this.kept += bytes.toString("latin1", from, end);
    this.isInText = quote !== -1;
    this.textBytes = 0;
    return end;
  }

  /** Up to the end of the text, or of the bytes. */
  private passText(bytes: Buffer, from: number): number {
    let at = from;
    let quote = -1;
    while (at < bytes.length) {
      if (this.escape !== 0) {
        this.passEscape(bytes[at] ?? 0);
        at += 1;
        continue;
      }
      if (quote < at) quote = endOr(bytes.indexOf(QUOTE, at), bytes.length);
      const end = at + endOr(bytes.subarray(at, quote).indexOf(BACKSLASH), quote - at);
      this.keep(bytes, at, end);
      at = end + 1;
      if (end === bytes.length) break;
      if (end === quote) {
        this.kept += '"';
        this.isInText = false;
        return at;
      }
      this.escape = CHARACTER;
      // A text is cut between two characters, never within an escape.
      this.keepsEscape = this.textBytes < TEXT_MAX;
      if (this.keepsEscape) this.kept += "\\";
      this.textBytes += 1;
    }
    return bytes.length;
  }

  private passEscape(byte: number): void {
    if (this.keepsEscape) this.kept += String.fromCharCode(byte);
    this.textBytes += 1;
    if (this.escape === CHARACTER) this.escape = byte === U ? HEX_DIGITS : 0;
    else this.escape -= 1;
  }

  private keep(bytes: Buffer, from: number, end: number): void {
    const room = TEXT_MAX - this.textBytes;
    if (room > 0) this.kept += bytes.toString("latin1", from, Math.min(end, from + room));
    this.textBytes += end - from;
  }

  /** What has arrived, in Latin-1. */
  get text(): string {
    return this.kept;
  }

  /** Null = it is no whole JSON object. */
  json(): Json | null {
    return parseJsonObject(Buffer.from(this.kept, "latin1").toString("utf8"));
  }
}

function endOr(found: number, otherwise: number): number {
  return found === -1 ? otherwise : found;
}
