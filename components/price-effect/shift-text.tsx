"use client";

import { useTranslations } from "next-intl";
import { formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { percentOf, percentText } from "./change-list";

type ShiftTextProps = { before: number | null; after: number | null; text: (value: number) => string };

/** "old → new" with the change in percent; one value where both are the same, or nothing was before. */
export function ShiftText({ before, after, text }: ShiftTextProps) {
  const t = useTranslations("priceEffect");
  const [old, next] = [before === null ? "—" : text(before), after === null ? "—" : text(after)];
  if (old === next) return <span className="whitespace-nowrap text-muted-foreground">{next}</span>;
  // Of a loss, a percentage would say the opposite of what it looks like.
  const percent = before !== null && before > 0 ? percentOf(before, after) : null;
  return (
    <span className="inline-flex flex-col items-end">
      <span className="whitespace-nowrap">
        {before === null ? null : (
          <>
            <span className="sr-only">{t("before")} </span>
            <del className="text-muted-foreground">{old}</del> <span aria-hidden>→</span>{" "}
            <span className="sr-only">{t("after")} </span>
          </>
        )}
        <span className="font-medium">{next}</span>
      </span>
      {percent === null ? null : <span className="text-muted-foreground text-xs">{percentText(percent)}</span>}
    </span>
  );
}

/** Quota before and after, as the site shows amounts. */
export function QuotaShift({ before, after }: { before: number; after: number }) {
  const display = useQuotaDisplay();
  return <ShiftText before={before} after={after} text={(quota) => formatQuota(quota, display)} />;
}
