import { formatDecimal, formatQuota, type QuotaDisplay } from "@/components/format/quota";
import type { AlertMetric } from "@/lib/alert/types";
import { amountText, parseAmount } from "@/lib/money/amount";

/** A value as it is read: a percentage, seconds, or an amount. */
export function formatAlertValue(metric: AlertMetric, value: number, display: QuotaDisplay): string {
  if (metric === "error_rate") return `${formatDecimal(value / 100, 2)}%`;
  if (metric === "latency") return `${formatDecimal(value / 1_000, 2)} s`;
  return formatQuota(value, display);
}

/** How many of a threshold's units make one of those that are typed, and its symbol. */
function unitOf(metric: AlertMetric, { inCurrency, quotaPerUnit, symbol }: QuotaDisplay) {
  if (metric === "error_rate") return { quotaPerUnit: 100, symbol: "%" };
  if (metric === "latency") return { quotaPerUnit: 1_000, symbol: "s" };
  return inCurrency ? { quotaPerUnit, symbol } : { quotaPerUnit: 1, symbol: "" };
}

/** A threshold as it is typed: percent, seconds, or money. */
export function toTyped(metric: AlertMetric, value: number, display: QuotaDisplay): string {
  return amountText(value, unitOf(metric, display));
}

/** NaN for what is no number, or has more decimals than the unit; the server refuses it. */
export function fromTyped(metric: AlertMetric, text: string, display: QuotaDisplay): number {
  const parsed = parseAmount(text, unitOf(metric, display));
  return "quota" in parsed ? parsed.quota : Number.NaN;
}

export type SpanUnit = "minutes" | "hours" | "days";

/** A time span in the largest unit that leaves a whole number. */
export function spanOf(seconds: number): { unit: SpanUnit; count: string } {
  if (seconds % 86_400 === 0) return { unit: "days", count: String(seconds / 86_400) };
  if (seconds % 3_600 === 0) return { unit: "hours", count: String(seconds / 3_600) };
  return { unit: "minutes", count: String(Math.round(seconds / 60)) };
}
