"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { type ParsedAmount, parseAmount } from "@/lib/money/amount";
import { toMoneyText, toQuotaText } from "./money-text";

/** The text of a field for money, over a draft that holds quota. */
export function useMoneyText(quota: string, onQuota: (text: string) => void, isSigned: boolean) {
  const display = useQuotaDisplay();
  const issueText = useIssueText();
  const [typed, setTyped] = useState<{ text: string; quota: string; isLeft: boolean } | null>(null);
  // A draft that changed otherwise, such as by a preset, replaces what was typed.
  const own = typed?.quota === quota ? typed : null;
  const parsed = own && own.text.trim() !== "" ? parseAmount(own.text, display) : null;
  const issue = parsed ? issueText(parsed, isSigned) : undefined;
  return {
    text: own ? own.text : toMoneyText(quota, display),
    /** What is wrong with the text, also while it is being typed. */
    issue,
    isLeft: own?.isLeft ?? false,
    onText: (text: string) => {
      const next = toQuotaText(text, display);
      setTyped({ text, quota: next, isLeft: false });
      onQuota(next);
    },
    onLeave: () => setTyped(own && issue ? { ...own, isLeft: true } : null),
  };
}

function useIssueText(): (parsed: ParsedAmount, isSigned: boolean) => string | undefined {
  const t = useTranslations("common.amount");
  const { symbol } = useQuotaDisplay();
  return (parsed, isSigned) => {
    if ("quota" in parsed) return parsed.quota < 0 && !isSigned ? t("negative") : undefined;
    const { issue } = parsed;
    switch (issue.kind) {
      case "digits":
        return t("digits", { digits: String(issue.digits) });
      case "step":
      case "nothing":
        return t(issue.kind, { step: `${symbol}${issue.step}` });
      default:
        return t(issue.kind);
    }
  };
}
