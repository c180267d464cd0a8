import { setImmediate as nextTurn } from "node:timers/promises";

/** At most this many characters are tokenised; longer texts are extrapolated at the same rate. */
const SAMPLE_MAX = 16_384;
/** Merging a run without spaces takes quadratic time, so texts are cut into pieces, with pauses for other work. */
const PIECE_MAX = 1_024;
const PLAIN = { disallowedSpecial: new Set<string>() };

type Count = (text: string, options: typeof PLAIN) => number;
let loading: Promise<Count> | undefined;

/** Loaded at the first use: most processes never need it, and its tables take about 150 ms to load. */
function loadEncoding(): Promise<Count> {
  loading ??= import("gpt-tokenizer/encoding/o200k_base").then(({ countTokens: count }) => count);
  return loading;
}

/**
 * Counts tokens with the encoding of current models (o200k_base). Exact up to 16,384 characters, extrapolated by length
 * beyond. Works in pieces of at most 1,024 characters, each of which takes a few milliseconds at worst.
 */
export async function countTokens(texts: readonly string[]): Promise<number> {
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  if (length === 0) return 0;
  const count = await loadEncoding();
  const share = Math.min(1, SAMPLE_MAX / length);
  let tokens = 0;
  let seen = 0;
  for (const text of texts) {
    // Sample the same share of each text, so that a long text does not dominate.
    const end = Math.ceil(text.length * share);
    for (let at = 0; at < end; at += PIECE_MAX) {
      tokens += count(text.slice(at, Math.min(end, at + PIECE_MAX)), PLAIN);
      if ((at / PIECE_MAX) % 4 === 3) await nextTurn();
    }
    seen += end;
  }
  return Math.ceil(tokens * (length / seen));
}
