"use client";

import { useTranslations } from "next-intl";
import { BUDGETS_AS_MONEY, type ClashingEdit, EditClashes } from "@/components/form/edit-clashes";
import type { UserInput } from "./user-draft";

/** What somebody else has changed of an account meanwhile. */
export function UserClashes({ edit }: { edit: ClashingEdit }) {
  const t = useTranslations("user");
  const limit = useTranslations("limit");
  const labels: Record<Exclude<keyof UserInput, "password" | "quota" | "quotaReason">, string> = {
    username: t("username"),
    displayName: t("displayName"),
    group: t("group"),
    concurrencyLimit: t("concurrency"),
    requestsPerMinute: limit("requestsPerMinute"),
    tokensPerMinute: limit("tokensPerMinute"),
    budgetDay: limit("budgetDay"),
    budgetWeek: limit("budgetWeek"),
    budgetMonth: limit("budgetMonth"),
  };
  return <EditClashes edit={edit} labels={labels} kinds={BUDGETS_AS_MONEY} />;
}
