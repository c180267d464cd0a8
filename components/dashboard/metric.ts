"use client";

import { formatNumber, formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import type { Metric } from "./dashboard-search";

/** Formatter for values of a metric: quota as configured on the site with `digits` decimals, others as numbers. */
export function useMetricFormat(metric: Metric, digits: number): (value: number) => string {
  const display = useQuotaDisplay();
  return (value) => (metric === "quota" ? formatQuota(value, display, digits) : formatNumber(value));
}
