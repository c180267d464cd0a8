"use client";

import { formatNumber, formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import type { Metric } from "./dashboard-search";

/** How figures of a metric are written: quota as the site shows amounts, with `digits` decimals. */
export function useMetricFormat(metric: Metric, digits: number): (value: number) => string {
  const display = useQuotaDisplay();
  return (value) => (metric === "quota" ? formatQuota(value, display, digits) : formatNumber(value));
}
