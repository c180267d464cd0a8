import { NO_QUOTA, toQuota } from "@/lib/billing/quota";
import type { CostSum } from "@/lib/billing/types";

/** Some unknown, some with a part that nobody pays. */
export function costOf(quota: number): CostSum {
  if (quota % 7 === 0) return { quota: null, unbilled: NO_QUOTA, unknown: 1 };
  return { quota: toQuota(Math.floor(quota * 0.6) + (quota % 5)), unbilled: toQuota(quota % 5), unknown: 0 };
}
