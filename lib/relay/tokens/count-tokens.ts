import { setImmediate as nextTurn } from "node:timers/promises";

/** At most so many characters are really tokenised; what is beyond counts at the same rate. */
const SAMPLE_MAX = 16_384;
/** Merging a long run without a space takes time by its square: no piece is longer, and others run in between. */
const PIECE_MAX = 1_024;
const PLAIN = { disallowedSpecial: new Set<string>() };

type Count = (text: string, options: typeof PLAIN) => number;
let loading: Promise<Count> | undefined;

/** Loaded when it is needed first: most processes never need it, and its tables take some 150 ms to read. */
function loadEncoding(): Promise<Count> {
  loading ??= import("gpt-tokenizer/encoding/o200k_base").then(({ countTokens: count }) => count);
  return loading;
}

/**
 * Tokens of texts by the encoding of current models (o200k_base). Exact up to 16,384 characters, scaled by length beyond;
 * a piece of at most 1,024 characters is worked on at a time, which takes some milliseconds at worst.
 */
export async function countTokens(texts: readonly string[]): Promise<number> {
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  if (length === 0) return 0;
  const count = await loadEncoding();
  const share = Math.min(1, SAMPLE_MAX / length);
  let tokens = 0;
  let seen = 0;
  for (const text of texts) {
    // Each text gives its share, so that a long one does not speak for all.
    const end = Math.ceil(text.length * share);
    for (let at = 0; at < end; at += PIECE_MAX) {
      tokens += count(text.slice(at, Math.min(end, at + PIECE_MAX)), PLAIN);
      if ((at / PIECE_MAX) % 4 === 3) await nextTurn();
    }
    seen += end;
  }
  return Math.ceil(tokens * (length / seen));
}
