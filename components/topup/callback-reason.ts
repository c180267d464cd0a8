"use client";

import { useTranslations } from "next-intl";

const SUM = "\\d+\\.\\d{2}";

/** The reasons as lib/topup records them; captured parts come from the provider or the order. */
const REASONS = [
  { key: "orderUnknown", pattern: /^order unknown$/ },
  { key: "notCredited", pattern: /^order not credited$/ },
  { key: "bookedBefore", pattern: /^booked before$/ },
  { key: "creditedBefore", pattern: /^credited before$/ },
  { key: "wrongSignature", pattern: /^wrong signature$/ },
  { key: "otherMerchant", pattern: /^another merchant's$/ },
  { key: "noSum", pattern: /^(no sum|the sum is not a sum)$/ },
  { key: "fault", pattern: /^fault while crediting$/ },
  { key: "notFinished", pattern: /^(?:state|payment) (.*)$/ },
  { key: "otherSum", pattern: new RegExp(`^paid (${SUM}), the order is (${SUM})$`) },
  { key: "otherCurrency", pattern: /^paid in (\S+), the order is in (\S+)$/ },
] as const;

/** Translates why a callback was not credited; unknown reasons are shown as recorded. */
export function useCallbackReason(): (reason: string) => string {
  const t = useTranslations("topup.reasons");
  return (reason) => {
    for (const { key, pattern } of REASONS) {
      const match = pattern.exec(reason);
      if (match) return t(key, { given: match[1] ?? "", expected: match[2] ?? "" });
    }
    return reason;
  };
}
