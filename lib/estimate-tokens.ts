/** Estimates tokens from the length, on the high side: one token per three ASCII characters or one other character. */
export function estimateTokens(asciiBytes: number, otherBytes: number): number {
  return Math.ceil(asciiBytes / 3) + Math.ceil(otherBytes / 3);
}
