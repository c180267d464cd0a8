/** How amounts are shown on this site. */
export type QuotaDisplay = { inCurrency: boolean; quotaPerUnit: number };

/** The prefix of amounts shown as money (console specification §5, string 52). */
export const CURRENCY_SYMBOL = "￥";

/** 1234567 → 1.2M; below ten thousand unchanged. */
export function formatNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e9) return `${(value / 1e9).toFixed(1)}B`;
  if (size >= 1e6) return `${(value / 1e6).toFixed(1)}M`;
  if (size >= 1e4) return `${(value / 1e3).toFixed(1)}k`;
  return String(value);
}

/** An amount of quota as the site shows amounts: money with `digits` decimals, or a shortened number. */
export function formatQuota(quota: number, display: QuotaDisplay, digits = 2): string {
  if (!display.inCurrency) return formatNumber(quota);
  const money = quota / display.quotaPerUnit;
  return `${money < 0 ? "-" : ""}${CURRENCY_SYMBOL}${Math.abs(money).toFixed(digits)}`;
}

/** A number without trailing zeros and without exponent, at most `digits` decimals. */
export function formatDecimal(value: number, digits = 6): string {
  return value.toFixed(digits).replace(/\.?0+$/, "") || "0";
}
