import { formatDecimal } from "./quota";

/** A number of tokens in a few characters: 400K, 1.05M. */
export function tokensText(tokens: number): string {
  if (tokens >= 1_000_000) return `${formatDecimal(tokens / 1_000_000, 2)}M`;
  return tokens >= 1_000 ? `${formatDecimal(tokens / 1_000, 1)}K` : String(tokens);
}
