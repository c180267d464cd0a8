/** How many bytes a code point takes. */
function widthOf(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}

/** How many bytes a text takes. */
export function utf8Length(text: string): number {
  let length = 0;
  for (const character of text) length += widthOf(character.codePointAt(0) ?? 0);
  return length;
}

/** What the first byte of a longer code point begins with, by how many there are. */
const LEAD_BITS = [0, 0, 0xc0, 0xe0, 0xf0];

export function utf8Bytes(text: string): number[] {
  const bytes: number[] = [];
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const width = widthOf(code);
    if (width === 1) {
      bytes.push(code);
      continue;
    }
    bytes.push((LEAD_BITS[width] ?? 0) | (code >> (6 * (width - 1))));
    for (let shift = 6 * (width - 2); shift >= 0; shift -= 6) bytes.push(0x80 | ((code >> shift) & 0x3f));
  }
  return bytes;
}

/** What is counted: bytes of UTF-8, or the units of a string (UTF-16). */
export type Unit = "bytes" | "units";

/** Places in a text, counted anew. One pass, however many they are; places beyond the end are the end. */
export function recount(text: string, places: Iterable<number>, from: Unit): Map<number, number> {
  const found = new Map<number, number>();
  const wanted = [...new Set(places)].sort((a, b) => a - b);
  let bytes = 0;
  let units = 0;
  for (const place of wanted) {
    while (units < text.length && (from === "bytes" ? bytes : units) < place) {
      const code = text.codePointAt(units) ?? 0;
      bytes += widthOf(code);
      units += code > 0xffff ? 2 : 1;
    }
    found.set(place, from === "bytes" ? units : bytes);
  }
  return found;
}
