"use client";

import { formatMoney, formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";

export function UsedQuota({ quota, digits = 2 }: { quota: number; digits?: number }) {
  return formatQuota(quota, useQuotaDisplay(), digits);
}

/** The balance at an upstream, in currency units. */
export function Balance({ amount }: { amount: number }) {
  return formatMoney(amount, useQuotaDisplay().symbol);
}
