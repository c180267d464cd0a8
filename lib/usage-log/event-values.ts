import { formatExactQuota, formatQuota, type QuotaDisplay } from "@/lib/money/display";
import { LOG_TYPE } from "@/lib/row-status";
import type { UsageLog } from "./columns";

/** Event parameters that are quota amounts. */
const AMOUNTS = new Set(["quota", "before", "after"]);

/** The event of a row that is not a request, with its parameters as texts; null for rows without one. */
export function readEvent(
  { event, params }: Record<string, unknown>,
  display: QuotaDisplay,
): { event: string; values: Record<string, string> } | null {
  if (typeof event !== "string" || !/^[A-Za-z]+$/.test(event)) return null;
  const given = Object.entries(typeof params === "object" && params !== null ? params : {});
  const values = given.map(([name, value]): [string, string] => [
    name,
    AMOUNTS.has(name) && typeof value === "number" ? amountOf(value, display) : String(value),
  ]);
  return { event, values: Object.fromEntries(values) };
}

function amountOf(quota: number, display: QuotaDisplay): string {
  return display.inCurrency ? formatExactQuota(quota, display) : formatQuota(quota, display);
}

/**
 * What a row added to the balance, negative for what it took; null for usage, whose amount is a cost, and for rows
 * without an amount. Refunds of tasks are usage that is taken back.
 */
export function creditOf({ type, quota, other }: Pick<UsageLog, "type" | "quota" | "other">): number | null {
  if (quota === 0 || type === LOG_TYPE.consume || type === LOG_TYPE.error) return null;
  return String(other.event ?? "").startsWith("task") ? null : quota;
}
