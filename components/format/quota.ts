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
