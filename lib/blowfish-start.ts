const WORD = 32n;
/** Bits that are computed and not used, so that the rounding of thousands of terms cannot reach those that are. */
const GUARD = 64n;

let words: Int32Array | null = null;

/** The first words of the digits of π after the point: what Blowfish starts from. Computed at the first use, in some 20 ms. */
export function blowfishStart(count: number): Int32Array {
  words ??= computeWords(count);
  return words;
}

function computeWords(count: number): Int32Array {
  const bits = BigInt(count) * WORD;
  const one = 1n << (bits + GUARD);
  // Machin's formula.
  const pi = 4n * (4n * arcTangentOfInverse(5n, one) - arcTangentOfInverse(239n, one));
  const fraction = ((pi & (one - 1n)) >> GUARD).toString(16).padStart(Number(bits / 4n), "0");
  return Int32Array.from({ length: count }, (_, at) => Number.parseInt(fraction.slice(at * 8, at * 8 + 8), 16) | 0);
}

function arcTangentOfInverse(of: bigint, one: bigint): bigint {
  let power = one / of;
  let sum = power;
  for (let divisor = 3n, sign = -1n; power > 0n; divisor += 2n, sign = -sign) {
    power /= of * of;
    sum += (sign * power) / divisor;
  }
  return sum;
}
