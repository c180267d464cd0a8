"use client";

import { formatMoney, formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";

/** An amount of quota as the site shows amounts. */
export function UsedQuota({ quota, digits = 2 }: { quota: number; digits?: number }) {
  return formatQuota(quota, useQuotaDisplay(), digits);
}

/** What is left at an upstream, in currency units. */
export function Balance({ amount }: { amount: number }) {
  return formatMoney(amount, useQuotaDisplay().symbol);
}
