/** How many values a 32-bit hash has. */
const HASHES = 2 ** 32;
const GOLDEN = 0x9e3779b1;

/**
 * Draws a candidate in proportion to its share (weighted rendezvous hashing). The same lot draws the same candidate in
 * every process; where one is missing, only the lots that would have drawn it draw another. Null = no candidates. Pure.
 */
export function draw<Candidate extends { readonly id: number }>(
  candidates: readonly Candidate[],
  lot: number,
  shareOf: (candidate: Candidate) => number,
): Candidate | null {
  let drawn: Candidate | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const at = (scramble(lot + Math.imul(candidate.id, GOLDEN)) + 0.5) / HASHES;
    const time = -Math.log(at) / shareOf(candidate);
    if (time >= least) continue;
    least = time;
    drawn = candidate;
  }
  return drawn;
}

/** The lot of a conversation at a time: another one every `periodMs`, not for all conversations at once. */
export function lotAt(lot: number, now: number, periodMs: number): number {
  return scramble(lot + Math.imul(Math.floor(now / periodMs + lot / HASHES), GOLDEN));
}

/** Spreads 32 bits: each bit of the result depends on all bits of the value. */
function scramble(value: number): number {
  let bits = value >>> 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
