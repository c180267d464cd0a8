/** How amounts are shown on this site. */
export type QuotaDisplay = { inCurrency: boolean; quotaPerUnit: number; symbol: string };

/** The prefix of amounts shown as money, unless the operator chose another (console §5). */
export const DEFAULT_CURRENCY_SYMBOL = "￥";

/** 1234567 → 1.2M; below ten thousand unchanged. */
export function formatNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e9) return `${(value / 1e9).toFixed(1)}B`;
  if (size >= 1e6) return `${(value / 1e6).toFixed(1)}M`;
  if (size >= 1e4) return `${(value / 1e3).toFixed(1)}k`;
  return String(value);
}

/** An amount of money in currency units; the sign stands in front of the symbol, and nothing is never negative. */
export function formatMoney(amount: number, symbol: string, digits = 2): string {
  const size = Math.abs(amount).toFixed(digits);
  return `${amount < 0 && Number(size) !== 0 ? "-" : ""}${symbol}${size}`;
}

/** An amount of quota as the site shows amounts: money with `digits` decimals, or a shortened number. */
export function formatQuota(quota: number, display: QuotaDisplay, digits = 2): string {
  if (!display.inCurrency) return formatNumber(quota);
  return formatMoney(quota / display.quotaPerUnit, display.symbol, digits);
}

/** A number without trailing zeros and without exponent, at most `digits` decimals. */
export function formatDecimal(value: number, digits = 6): string {
  return value.toFixed(digits).replace(/\.?0+$/, "") || "0";
}
