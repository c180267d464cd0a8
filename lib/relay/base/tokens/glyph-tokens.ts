/**
 * The most tokens that characters beyond ASCII take with cl100k_base and o200k_base, alone or one after the other: a token for
 * each byte, but for those of widely used scripts. Measured over all characters up to U+1FFFF.
 */
const TWO_BYTES = 2;
const THREE_BYTES = 3;
const FOUR_BYTES = 4;
/** First and last character, and tokens. */
const COMMON: readonly (readonly [number, number, number])[] = [
  // Latin of western Europe, Greek, Cyrillic, Hebrew, Arabic.
  [0xc0, 0xff, 1],
  [0x380, 0x3bf, 1],
  [0x400, 0x47f, 1],
  [0x5c0, 0x67f, 1],
  // The scripts of India, Thai, punctuation, kana, Han, Hangul, full width.
  [0x900, 0xe7f, 2],
  [0x2000, 0x203f, 2],
  [0x3000, 0x30ff, 2],
  [0x4e00, 0x9fff, 2],
  [0xac00, 0xd7ff, 2],
  [0xff00, 0xff3f, 2],
];
/** UTF-8 has a row of 64 characters for each combination of bytes before the last. */
const ROW_BITS = 6;
const tokensByRow = Uint8Array.from({ length: 0x10000 >> ROW_BITS }, (_, row) => {
  const first = row << ROW_BITS;
  const common = COMMON.find(([from, to]) => first >= from && first <= to);
  return common ? common[2] : first < 0x800 ? TWO_BYTES : THREE_BYTES;
});

/** Of a character of UTF-8, by its first two bytes. */
export function tokensOfBytes(first: number, second: number): number {
  if (first >= 0xf0) return FOUR_BYTES;
  const row = first >= 0xe0 ? ((first & 0x0f) << ROW_BITS) | (second & 0x3f) : first & 0x1f;
  return tokensByRow[row] ?? THREE_BYTES;
}

/** Of a unit of UTF-16; a character beyond U+FFFF has two, of which the second counts nothing. */
export function tokensOfUnit(unit: number): number {
  if (unit >= 0xd800 && unit <= 0xdfff) return unit <= 0xdbff ? FOUR_BYTES : 0;
  return tokensByRow[unit >> ROW_BITS] ?? THREE_BYTES;
}

const FOUR_BYTE_FIRST = 0xf0;

/** The bytes of those characters of a text that take four each, but for the rarest planes; where there are none it costs a search. */
export function fourByteLength(bytes: Buffer): number {
  let length = 0;
  for (let at = bytes.indexOf(FOUR_BYTE_FIRST); at !== -1; at = nextFourByte(bytes, at + FOUR_BYTES))
    length += FOUR_BYTES;
  return length;
}

/** They come in rows, which need no search. */
function nextFourByte(bytes: Buffer, at: number): number {
  return bytes[at] === FOUR_BYTE_FIRST ? at : bytes.indexOf(FOUR_BYTE_FIRST, at);
}
