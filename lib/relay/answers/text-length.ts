import { skipValue } from "../base/json-splice";
import { tokensOfBytes } from "../base/tokens/glyph-tokens";

const QUOTE = 0x22;
const COLON = 0x3a;
const SPACE = 0x20;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const CLOSE_BRACE = 0x7d;

/** Length in UTF-8 bytes. JSON escapes count as written. */
export type TextLength = { asciiBytes: number; otherBytes: number };

/**
 * Length of the model's text in these frames or this body, without parsing. `keys` are the JSON keys whose texts and
 * objects are such text, each with its closing quote.
 */
export function measureText(bytes: Buffer, keys: readonly string[]): TextLength {
  const length = { asciiBytes: 0, otherBytes: 0 };
  for (const key of keys) {
    for (let at = bytes.indexOf(key); at !== -1; at = bytes.indexOf(key, at)) {
      const start = valueAfter(bytes, at + Buffer.byteLength(key));
      at = start;
      if (bytes[start] === OPEN_BRACE || bytes[start] === OPEN_BRACKET) {
        at = skipValue(bytes, start);
        countBytes(length, bytes, start, at);
      }
      if (bytes[start] !== QUOTE) continue;
      at = skipValue(bytes, start);
      countBytes(length, bytes, start + 1, at - 1);
    }
  }
  return length;
}

function countBytes(length: TextLength, bytes: Buffer, start: number, end: number): void {
  for (let i = start; i < end; i++) {
    if ((bytes[i] ?? 0) < 0x80) length.asciiBytes += 1;
    else length.otherBytes += 1;
  }
}

/** The index of the value after a key's closing quote. Without a colon it is not a key, and no value is found there. */
function valueAfter(bytes: Buffer, at: number): number {
  let i = at;
  while (bytes[i] === SPACE) i += 1;
  if (bytes[i] !== COLON) return i;
  i += 1;
  while (bytes[i] === SPACE) i += 1;
  return i;
}

const NOT_ASCII = /[^\0-\x7f]/;
const SHORT = 32;
/** The mean of dense text; of prose it is more, so that the estimate is high. */
const BYTES_PER_TOKEN = 3;

/** What a model writes around a call's name and arguments: usually few tokens, with some models one for each parameter. */
const CALL_TOKENS = 7;
const CALL_BYTES = 64;

/** Adds up the model's text in JSON that passes by. Costs a search for each key and a look at each byte of text, because it reads every chunk. */
export class WrittenText {
  /** As written in JSON, so that no token is shorter than one byte. */
  bytes = 0;
  /**
   * High estimate: three bytes of ASCII a token, other characters as many tokens as they can take, and at least one for
   * each piece.
   */
  tokens = 0;
  /** Without what calls and pictures add to `bytes`. */
  readonly length: TextLength = { asciiBytes: 0, otherBytes: 0 };

  /** `text`: whole lines as latin1. `callKey`: see PassThrough. */
  add(text: string, keys: readonly string[], callKey?: string): void {
    if (callKey !== undefined) this.addCalls(text, callKey);
    for (const key of keys) {
      for (let at = text.indexOf(key); at !== -1; at = text.indexOf(key, at)) {
        at += key.length;
        let start = at;
        while (text.charCodeAt(start) === SPACE) start += 1;
        if (text.charCodeAt(start) !== COLON) continue;
        start += 1;
        while (text.charCodeAt(start) === SPACE) start += 1;
        const first = text.charCodeAt(start);
        if (first === OPEN_BRACE || first === OPEN_BRACKET) {
          at = endOfNested(text, start);
          this.addPart(text, start, at);
          continue;
        }
        if (first !== QUOTE) continue;
        at = endOfText(text, start + 1);
        this.addPart(text, start + 1, at);
      }
    }
  }

  /** The name of a tool stands among words that no answer shows. */
  private addCalls(text: string, key: string): void {
    const { bytes } = this;
    const { asciiBytes, otherBytes } = this.length;
    let calls = 0;
    for (let at = text.indexOf(key); at !== -1; at = text.indexOf(key, at + key.length)) calls += 1;
    if (calls === 0) return;
    this.add(text, [key]);
    Object.assign(this.length, { asciiBytes, otherBytes });
    if (this.bytes > bytes) this.addCall(calls);
  }

  addCall(calls = 1): void {
    this.bytes += calls * CALL_BYTES;
    this.tokens += calls * CALL_TOKENS;
  }

  /** Its bytes bound its tokens, but say nothing of them. */
  addPicture(bytes: number, tokens: number): void {
    this.bytes += bytes;
    this.tokens += tokens;
  }

  /** `text`: as latin1. */
  private addPart(text: string, start: number, end: number): void {
    let other = 0;
    let otherTokens = 0;
    // A search is faster than a look at each character, but for short parts.
    const isAscii = end - start > SHORT && !NOT_ASCII.test(text.slice(start, end));
    for (let i = isAscii ? end : start; i < end; i++) {
      const code = text.charCodeAt(i);
      if (code < 0x80) continue;
      other += 1;
      if (code >= 0xc0) otherTokens += tokensOfBytes(code, text.charCodeAt(i + 1));
    }
    this.addLength(end - start, other, otherTokens);
  }

  /** `otherBytes`: those of them that are not ASCII, and the most tokens that these can have. */
  addLength(bytes: number, otherBytes: number, otherTokens: number): void {
    if (bytes <= 0) return;
    this.bytes += bytes;
    this.length.asciiBytes += bytes - otherBytes;
    this.length.otherBytes += otherBytes;
    this.tokens += Math.ceil((bytes - otherBytes) / BYTES_PER_TOKEN + otherTokens);
  }
}

/** The index of the quote that ends the string whose content starts at `start`; the text's length when there is none. */
function endOfText(text: string, start: number): number {
  for (let from = start; ; ) {
    const end = text.indexOf('"', from);
    if (end === -1) return text.length;
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return end;
    from = end + 1;
  }
}

/** The index after the object or list that starts at `start`; the text's length when it does not end. */
function endOfNested(text: string, start: number): number {
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = endOfText(text, i + 1);
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth += 1;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      depth -= 1;
      if (depth === 0) return i + 1;
    }
  }
  return text.length;
}
