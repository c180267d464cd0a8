import { amountText } from "./amount";

/** The site's settings for displaying amounts. */
export type QuotaDisplay = {
  inCurrency: boolean;
  quotaPerUnit: number;
  symbol: string;
  /** A currency in which amounts are shown as well, and what one unit is worth in it. */
  second?: { symbol: string; rate: number };
};

/** The default symbol for amounts shown as money; the operator can change it (console §5). */
export const DEFAULT_CURRENCY_SYMBOL = "￥";

type DisplayOptions = {
  DisplayInCurrencyEnabled: boolean;
  QuotaPerUnit: number;
  CurrencySymbol: string;
  SecondCurrencySymbol?: string;
  SecondCurrencyRate?: number;
};

/** The display settings among the options. */
export function displayOf(options: DisplayOptions): QuotaDisplay {
  const { SecondCurrencySymbol: symbol = "", SecondCurrencyRate: rate = 0 } = options;
  return {
    inCurrency: options.DisplayInCurrencyEnabled,
    quotaPerUnit: options.QuotaPerUnit,
    symbol: toPrefix(options.CurrencySymbol),
    ...(symbol !== "" && rate > 0 ? { second: { symbol: toPrefix(symbol), rate } } : {}),
  };
}

/** A code such as EUR stands apart from the amount, a sign such as $ does not. */
function toPrefix(symbol: string): string {
  return /\p{L}$/u.test(symbol) ? `${symbol}\u00a0` : symbol;
}

/** 1234567 → 1.2M; values below 10,000 are unchanged. */
export function formatNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e9) return `${(value / 1e9).toFixed(1)}B`;
  if (size >= 1e6) return `${(value / 1e6).toFixed(1)}M`;
  if (size >= 1e4) return `${(value / 1e3).toFixed(1)}k`;
  return String(value);
}

/** An amount in currency units. The sign stands before the symbol, and a rounded zero has no sign. */
export function formatMoney(amount: number, symbol: string, digits = 2): string {
  const size = Math.abs(amount).toFixed(digits);
  return `${amount < 0 && Number(size) !== 0 ? "-" : ""}${symbol}${size}`;
}

/** Quota in the site's display mode: money with `digits` decimals, or a shortened number. */
export function formatQuota(quota: number, display: QuotaDisplay, digits = 2): string {
  if (!display.inCurrency) return formatNumber(quota);
  return formatMoney(quota / display.quotaPerUnit, display.symbol, digits);
}

const DECIMALS_MIN = 2;

/** Quota as money with as many decimals as it takes, at least `digits`; or the whole number of quota. */
export function formatExactQuota(quota: number, display: QuotaDisplay, digits = DECIMALS_MIN): string {
  const text = exactAmount(Math.abs(quota), display, digits);
  if (!display.inCurrency || text === "") return quota.toLocaleString("en-US");
  return `${quota < 0 ? "-" : ""}${display.symbol}${text}`;
}

/** The same as money without the symbol; "" for what is no whole quota. */
export function exactAmount(quota: number, display: QuotaDisplay, digits: number): string {
  const text = amountText(quota, display);
  const [whole = "", decimals = ""] = text.split(".");
  return text === "" ? "" : `${whole}.${decimals.padEnd(digits, "0")}`;
}

/** The decimals with which every amount of a column is exact. */
export function decimalsFor(quotas: readonly number[], display: QuotaDisplay): number {
  const needed = quotas.map((quota) => amountText(quota, display).split(".")[1]?.length ?? 0);
  return needed.reduce((most, digits) => Math.max(most, digits), DECIMALS_MIN);
}

/** The amount in the site's second currency, marked as converted: "≈ €1.85"; null without such a currency. */
export function formatConverted(quota: number, { inCurrency, quotaPerUnit, second }: QuotaDisplay): string | null {
  if (!second || !inCurrency) return null;
  return `≈ ${formatMoney((quota / quotaPerUnit) * second.rate, second.symbol)}`;
}
