/** Deeper JSON is refused. Schemas of real tools stay below 20. */
const DEPTH_MAX = 128;
/** More values are refused: a long conversation with many tools has some ten thousand. */
const VALUES_MAX = 250_000;
/** What a parsed value takes in memory besides its text. */
export const BYTES_PER_VALUE = 64;
/** Shorter strings are skipped byte by byte, because a native search costs more to call. */
const SEARCH_FROM = 24;

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

export type JsonBounds = { values: number } | { exceeds: "depth" | "values" };

/**
 * Counts the values of JSON text and watches its depth without parsing it, in one pass. Keys are not counted. Stops at
 * the first bound that is exceeded; text that is not JSON gets a count too, and is left to the parser.
 */
export function measureJson(bytes: Buffer): JsonBounds {
  const { length } = bytes;
  let depth = 0;
  let values = 1;
  for (let at = 0; at < length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = stringEnd(bytes, at + 1);
    else if (byte === COMMA) values += 1;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      values += 1;
      depth += 1;
      if (depth > DEPTH_MAX) return { exceeds: "depth" };
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth -= 1;
  }
  return values > VALUES_MAX ? { exceeds: "values" } : { values };
}

/** The index of the quote that ends the string whose text starts at `from`; the length when there is none. */
export function stringEnd(bytes: Buffer, from: number): number {
  const { length } = bytes;
  for (let at = from; at < length; ) {
    const near = Math.min(length, at + SEARCH_FROM);
    for (; at < near; at++) {
      const byte = bytes[at];
      if (byte === QUOTE) return at;
      if (byte === BACKSLASH) at += 1;
    }
    const found = bytes.indexOf(QUOTE, at);
    if (found === -1) return length;
    let slashes = 0;
    while (found - 1 - slashes >= at && bytes[found - 1 - slashes] === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return found;
    at = found + 1;
  }
  return length;
}
