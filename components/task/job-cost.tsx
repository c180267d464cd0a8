"use client";

import { useTranslations } from "next-intl";
import { formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Badge } from "@/components/ui/badge";

/** What a task costs now: the charge of one that failed went back. */
export function JobCost({ quota, failed }: { quota: number; failed: boolean }) {
  const t = useTranslations("task");
  const display = useQuotaDisplay();
  if (failed && quota === 0)
    return (
      <Badge hue="grey" title={t("notChargedHint")}>
        {t("notCharged")}
      </Badge>
    );
  return <span className="whitespace-nowrap tabular-nums">{formatQuota(quota, display, 6)}</span>;
}
