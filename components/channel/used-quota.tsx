"use client";

import { formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";

/** An amount of quota as the site shows amounts. */
export function UsedQuota({ quota, digits = 2 }: { quota: number; digits?: number }) {
  return formatQuota(quota, useQuotaDisplay(), digits);
}
