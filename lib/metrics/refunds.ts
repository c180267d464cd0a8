import { refundTotals } from "@/lib/relay/side";
import { counter, type Family, one } from "./family";

export function readRefunds(): Family[] {
  const { refunds, quota } = refundTotals();
  return [
    counter("weir_refunds_total", "Tasks whose charge was given back, in whole or in part", one(refunds)),
    counter("weir_refunded_quota_total", "Quota that was given back for them", one(quota)),
  ];
}
