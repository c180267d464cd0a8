import { randomFillSync } from "node:crypto";

const BYTES = 16;
/** Position of each byte's two hex digits in the text; the dashes lie between them. */
const PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const;
const DASHES = [8, 13, 18, 23] as const;
const DIGITS = Buffer.from("0123456789abcdef");

/** Random bytes for 256 ids, because each call of the random generator is expensive. */
const pool = Buffer.alloc(256 * BYTES);
let used = pool.length;

const text = Buffer.alloc(36);
for (const at of DASHES) text[at] = 0x2d;

/**
 * A UUID version 7 (RFC 9562 §5.7): the time in milliseconds, then 74 random bits. Ids that increase with time are
 * appended at one end of the log's index, so each index page is written once. Random ids would change an arbitrary page
 * per row.
 */
export function createRequestId(nowMs = Date.now()): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const first = used;
  used += BYTES;
  pool.writeUIntBE(nowMs, first, 6);
  pool[first + 6] = 0x70 | ((pool[first + 6] ?? 0) & 0x0f);
  pool[first + 8] = 0x80 | ((pool[first + 8] ?? 0) & 0x3f);
  for (let i = 0; i < BYTES; i++) {
    const byte = pool[first + i] ?? 0;
    const at = PLACES[i] ?? 0;
    text[at] = DIGITS[byte >> 4] ?? 0;
    text[at + 1] = DIGITS[byte & 0x0f] ?? 0;
  }
  return text.toString("latin1");
}
