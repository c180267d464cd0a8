import { skipValue } from "../json-splice";

const QUOTE = 0x22;
const COLON = 0x3a;
const SPACE = 0x20;

/** Length in UTF-8 bytes. JSON escapes count as written. */
export type TextLength = { asciiBytes: number; otherBytes: number };

/**
 * Length of the model's text in these frames or this body, without parsing. `keys` are the JSON keys whose string
 * values are such text, each with its closing quote.
 */
export function measureText(bytes: Buffer, keys: readonly string[]): TextLength {
  const length = { asciiBytes: 0, otherBytes: 0 };
  for (const key of keys) {
    for (let at = bytes.indexOf(key); at !== -1; at = bytes.indexOf(key, at)) {
      const start = valueAfter(bytes, at + Buffer.byteLength(key));
      at = start;
      if (bytes[start] !== QUOTE) continue;
      at = skipValue(bytes, start);
      for (let i = start + 1; i < at - 1; i++) {
        if ((bytes[i] ?? 0) < 0x80) length.asciiBytes += 1;
        else length.otherBytes += 1;
      }
    }
  }
  return length;
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
