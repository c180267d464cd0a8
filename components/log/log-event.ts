"use client";

import { useTranslations } from "next-intl";
import { formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import type { UsageLog } from "@/lib/usage-log/types";

/** Parameters of events that are amounts of quota. */
const AMOUNTS = new Set(["quota", "before", "after"]);

/**
 * What a row says, in the reader's language: rows that are no request name their event, and everything else is shown as
 * it was written.
 */
export function useLogText(): (row: Pick<UsageLog, "other" | "content">) => string {
  const t = useTranslations("logEvent");
  const display = useQuotaDisplay();
  return ({ other, content }) => {
    const { event, params } = other;
    if (typeof event !== "string" || !/^[A-Za-z]+$/.test(event)) return content;
    const key = event as Parameters<typeof t.has>[0];
    if (!t.has(key)) return content;
    const values: Record<string, string> = {};
    for (const [name, value] of Object.entries(typeof params === "object" && params !== null ? params : {})) {
      const isAmount = AMOUNTS.has(name) && typeof value === "number";
      values[name] = isAmount ? formatQuota(value, display, digitsOf(value, display.quotaPerUnit)) : String(value);
    }
    // Which parameters an event has is known where it is written; the messages' test proves that the texts fit.
    const translate: (key: string, values: Record<string, string>) => string = t as never;
    return translate(event, values);
  };
}

/** Cents are enough for most amounts; one that is not whole cents is shown in full. */
function digitsOf(quota: number, quotaPerUnit: number): number {
  return Number.isInteger((quota * 100) / quotaPerUnit) ? 2 : 6;
}
