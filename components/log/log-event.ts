"use client";

import { useTranslations } from "next-intl";
import { formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import type { UsageLog } from "@/lib/usage-log/types";

/** Event parameters that are quota amounts. */
const AMOUNTS = new Set(["quota", "before", "after"]);

/** The translated text of a row: rows with an event use the message of that event, all others show their content as recorded. */
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
    // The types do not know the parameters of an event; a test checks that the messages match.
    const translate: (key: string, values: Record<string, string>) => string = t as never;
    return translate(event, values);
  };
}

/** Two decimals for amounts of whole cents, otherwise six. */
function digitsOf(quota: number, quotaPerUnit: number): number {
  return Number.isInteger((quota * 100) / quotaPerUnit) ? 2 : 6;
}
