/** Tokens of a text by its length, on the high side: three ASCII characters or one other character make a token. */
export function estimateTokens(asciiBytes: number, otherBytes: number): number {
  return Math.ceil(asciiBytes / 3) + Math.ceil(otherBytes / 3);
}
