import { ArchiveError } from "./archive-error";

/** Positions in a dictionary of at most 10,000 values. */
const BITS_MAX = 14;

/**
 * Parquet's runs of small numbers: "so many times this one", or groups of eight. Throws ArchiveError unless they come to `count`
 * numbers (the last group may have up to seven more).
 */
export function assertRuns(bytes: Uint8Array, bits: number, count: number): void {
  if (bits > BITS_MAX) throw wrong();
  let at = 0;
  for (let seen = 0; seen < count; ) {
    let header = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      if (byte === undefined || shift > 21) throw wrong();
      header |= (byte & 127) << shift;
      if (byte < 128) break;
    }
    const isPacked = (header & 1) === 1;
    const size = header >>> 1;
    seen += isPacked ? size * 8 : size;
    at += isPacked ? size * bits : Math.ceil(bits / 8);
    // What comes behind the last value of a group is filled up; the reader gives less of it than it says.
    if (size === 0 || seen >= count + 8 || (!isPacked && seen > count)) throw wrong();
  }
}

const wrong = (): ArchiveError =>
  new ArchiveError("A page has runs of values that do not come to its number of values.");
