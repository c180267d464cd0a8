import { useTranslations } from "next-intl";
import type { BudgetState } from "@/lib/limit/budget-queries";
import { formatQuota, type QuotaDisplay } from "./quota";
import { Time } from "./time";

/** What is left of each budget, and when it begins anew. */
export function BudgetList({ budgets, display }: { budgets: readonly BudgetState[]; display: QuotaDisplay }) {
  const t = useTranslations("limit");
  return (
    <ul className="flex flex-col gap-0.5 text-muted-foreground text-xs tabular-nums">
      {budgets.map(({ period, limit, left, resetsAt }) => (
        <li key={period} className={left <= 0 ? "text-destructive" : undefined}>
          {t(`left.${period}`, { left: formatQuota(Math.max(0, left), display), limit: formatQuota(limit, display) })}
          <span className="sr-only">
            {" "}
            {t("resets")} <Time seconds={resetsAt} />
          </span>
        </li>
      ))}
    </ul>
  );
}
