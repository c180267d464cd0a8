"use client";

import { useTranslations } from "next-intl";
import { formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Badge } from "@/components/ui/badge";
import { cn } from "@/components/ui/class-names";
import { LOG_TYPE } from "@/lib/row-status";
import type { UsageLog } from "@/lib/usage-log/columns";

const NOTHING = "—";

/** What a row cost upstream; null = it is no request, or the reader may not see it. */
export type RowCost = { bought: number | null; unbilled: number; isPartlyUnknown: boolean; margin: number | null };

export function readRowCost(row: UsageLog): RowCost | null {
  const isCall = row.type === LOG_TYPE.consume || row.type === LOG_TYPE.error;
  if (!isCall || row.cost === undefined) return null;
  const bought = row.cost;
  const isPartlyUnknown = bought === null || (row.unknownCosts ?? 0) > 0;
  return {
    bought,
    unbilled: row.unbilledCost ?? 0,
    isPartlyUnknown,
    margin: bought === null ? null : row.quota - bought,
  };
}

/** The upstream's cost as text; "≥" where only a part of it is known. */
export function useCostText(): (cost: RowCost) => string {
  const t = useTranslations("log");
  const display = useQuotaDisplay();
  return ({ bought, isPartlyUnknown }) => {
    if (bought === null) return t("costUnknown");
    return `${isPartlyUnknown ? "≥ " : ""}${formatQuota(bought, display, 6)}`;
  };
}

export function Bought({ row }: { row: UsageLog }) {
  const text = useCostText();
  const cost = readRowCost(row);
  if (!cost) return NOTHING;
  return <span className={cn(cost.bought === null && "text-muted-foreground")}>{text(cost)}</span>;
}

export function Margin({ row }: { row: UsageLog }) {
  const t = useTranslations("log");
  const display = useQuotaDisplay();
  const cost = readRowCost(row);
  if (!cost || cost.margin === null) return NOTHING;
  const { margin, unbilled, isPartlyUnknown } = cost;
  return (
    <span className="inline-flex flex-col items-end gap-1">
      <span className={cn(margin < 0 && "text-destructive")}>
        {`${isPartlyUnknown ? "≤ " : ""}${formatQuota(margin, display, 6)}`}
      </span>
      {unbilled > 0 ? (
        <Badge hue="red" title={t("unbilledHint", { amount: formatQuota(unbilled, display, 6) })}>
          {t("unbilled")}
        </Badge>
      ) : null}
    </span>
  );
}
