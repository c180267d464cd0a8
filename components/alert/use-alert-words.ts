"use client";

import { useTranslations } from "next-intl";
import { useQuotaDisplay } from "@/components/format/quota-display";
import type { AlertRule } from "@/lib/alert/types";
import { formatAlertValue, spanOf } from "./alert-units";

type Described = Pick<AlertRule, "metric" | "subject" | "subjectName" | "comparison" | "threshold" | "windowSeconds">;

/** The condition of a rule as a sentence, and what it watches. */
export function useAlertWords() {
  const t = useTranslations("alert");
  const display = useQuotaDisplay();
  const span = (seconds: number): string => {
    const { unit, count } = spanOf(seconds);
    return t(`span.${unit}`, { count });
  };
  const condition = ({ metric, comparison, threshold, windowSeconds }: Described): string =>
    t(metric === "balance" ? "conditionNow" : "condition", {
      metric: t(`metric.${metric}`),
      comparison: t(`comparison.${comparison}`),
      threshold: formatAlertValue(metric, threshold, display),
      window: span(windowSeconds),
    });
  const subject = ({ subject: kind, subjectName }: Described): string => {
    if (kind === "account" || kind === "site") return t(`subject.${kind}`);
    return t("subjectNamed", { kind: t(`subject.${kind}`), name: subjectName ?? t("gone") });
  };
  return { condition, subject, span };
}
