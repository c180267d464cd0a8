import { parentPort } from "node:worker_threads";

// Plain JavaScript, so that Node loads this file as it is: from the sources, and from dist/ where it is copied to.

/** Merging a run without spaces takes quadratic time, so texts are cut into pieces. */
const PIECE_MAX = 1_024;
/** How far back a piece may end, so that it does not cut a word. */
const WORD_MAX = 64;
/** Names of special tokens are plain text here. */
const PLAIN = { disallowedSpecial: new Set() };

const load = {
  o200k_base: () => import("gpt-tokenizer/encoding/o200k_base"),
  cl100k_base: () => import("gpt-tokenizer/encoding/cl100k_base"),
};

/** @param {string} text @param {number} at */
function endOfPiece(text, at) {
  const end = at + PIECE_MAX;
  if (end >= text.length) return text.length;
  const space = text.lastIndexOf(" ", end);
  return space > end - WORD_MAX ? space : end;
}

/** @param {{ encoding: keyof typeof load, texts: readonly string[] }} request */
async function count({ encoding, texts }) {
  const { countTokens, clearMergeCache } = await load[encoding]();
  let tokens = 0;
  for (const text of texts) {
    for (let at = 0; at < text.length; ) {
      const end = endOfPiece(text, at);
      tokens += countTokens(text.slice(at, end), PLAIN);
      at = end;
    }
  }
  // Its keys would keep whole texts in memory.
  clearMergeCache();
  return tokens;
}

parentPort?.on("message", (request) => {
  count(request).then(
    (tokens) => parentPort?.postMessage({ tokens }),
    (error) => parentPort?.postMessage({ error: String(error) }),
  );
});
