export {
  DEFAULT_CURRENCY_SYMBOL,
  formatConverted,
  formatExactQuota,
  formatMoney,
  formatNumber,
  formatQuota,
  type QuotaDisplay,
} from "@/lib/money/display";

/** At most `digits` decimals, without trailing zeros and without exponent. */
export function formatDecimal(value: number, digits = 6): string {
  return value.toFixed(digits).replace(/\.?0+$/, "") || "0";
}

/** A rate from 0 to 1 as a percentage, rounded down: it shows 100% only when nothing failed. */
export function formatRate(rate: number): string {
  return `${(Math.floor(rate * 1_000) / 10).toFixed(rate === 1 ? 0 : 1)}%`;
}

/** A number of tokens in a few characters: 400K, 1.05M. */
export function tokensText(tokens: number): string {
  if (tokens >= 1_000_000) return `${formatDecimal(tokens / 1_000_000, 2)}M`;
  return tokens >= 1_000 ? `${formatDecimal(tokens / 1_000, 1)}K` : String(tokens);
}
