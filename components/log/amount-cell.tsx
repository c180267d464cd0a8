"use client";

import { useTranslations } from "next-intl";
import { formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { LOG_TYPE } from "@/lib/row-status";
import type { UsageLog } from "@/lib/usage-log/columns";
import { creditOf } from "@/lib/usage-log/event-values";

/** What a row cost, or what it added to the balance: that is no cost, and looks and reads like none. */
export function AmountCell({ row }: { row: Pick<UsageLog, "type" | "quota" | "other"> }) {
  const t = useTranslations("log");
  const common = useTranslations("common");
  const display = useQuotaDisplay();
  const credit = creditOf(row);
  if (credit !== null)
    return (
      <span className={credit > 0 ? "text-success" : ""}>
        <span className="whitespace-nowrap">{`${credit > 0 ? "+" : ""}${formatQuota(credit, display)}`}</span>{" "}
        <span className="whitespace-nowrap font-normal text-xs">{credit > 0 ? t("credit") : t("debit")}</span>
      </span>
    );
  if (row.quota === 0 && row.type !== LOG_TYPE.consume) return common("none");
  return formatQuota(row.quota, display, 6);
}
