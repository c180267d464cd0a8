"use client";

import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { BudgetList } from "@/components/format/budget-list";
import { formatNumber, formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Time } from "@/components/format/time";
import { Link } from "@/components/ui/link";
import type { BudgetState } from "@/lib/limit/budget-queries";
import type { User } from "@/lib/user/types";

type UserFactsProps = { user: User; inviter: { id: number; username: string } | null; budgets: readonly BudgetState[] };

/** Key figures in large type, followed by all other details of the account. */
export function UserFacts({ user, inviter, budgets }: UserFactsProps) {
  const t = useTranslations("user");
  const display = useQuotaDisplay();
  const figures = [
    { id: "quota", label: t("remaining"), value: formatQuota(user.quota, display) },
    { id: "used", label: t("used"), value: formatQuota(user.usedQuota, display) },
    { id: "requests", label: t("requests"), value: formatNumber(user.requestCount) },
    { id: "invited", label: t("invited"), value: formatNumber(user.affCount) },
    { id: "pending", label: t("pending"), value: formatQuota(user.affQuota, display) },
    { id: "earned", label: t("earned"), value: formatQuota(user.affHistoryQuota, display) },
  ];
  return (
    <section aria-label={t("facts")} className="@container rounded-lg border bg-surface">
      <dl className="grid @5xl:grid-cols-6 @md:grid-cols-3 grid-cols-2 gap-x-6 gap-y-3 px-4 py-3">
        {figures.map(({ id, label, value }) => (
          <div key={id}>
            <dt className="text-muted-foreground text-xs">{label}</dt>
            <dd
              dir="auto"
              className="mt-0.5 font-semibold text-xl tabular-nums tracking-tight"
              data-testid={`user-${id}`}
            >
              {value}
            </dd>
          </div>
        ))}
      </dl>
      <Particulars user={user} inviter={inviter} budgets={budgets} />
    </section>
  );
}

function Particulars({ user, inviter, budgets }: UserFactsProps) {
  const t = useTranslations("user");
  const limit = useTranslations("limit");
  const display = useQuotaDisplay();
  const bound = [
    { name: "GitHub", value: user.githubId },
    { name: "OIDC", value: user.oidcId },
    { name: "LinuxDO", value: user.linuxDoId },
    { name: "Telegram", value: user.telegramId },
    { name: t("wechat"), value: user.wechatId },
  ].filter(({ value }) => value);
  const facts: { label: string; value: ReactNode }[] = [
    { label: t("boundEmail"), value: user.email || t("notBound") },
    { label: t("bound"), value: bound.length === 0 ? t("notBound") : bound.map(({ name }) => name).join(", ") },
    {
      label: t("concurrency"),
      value: user.concurrencyLimit === 0 ? t("unlimited") : String(user.concurrencyLimit),
    },
    { label: t("registeredAt"), value: <Time seconds={user.createdAt} /> },
    {
      label: t("inviter"),
      value: inviter ? (
        <Link href={`/user/${inviter.id}`} className="rounded text-primary hover:underline">
          {`#${inviter.id} ${inviter.username}`}
        </Link>
      ) : (
        t("noInviter")
      ),
    },
    ...(budgets.length > 0
      ? [{ label: limit("budgets"), value: <BudgetList budgets={budgets} display={display} /> }]
      : []),
  ];
  return (
    <dl className="grid @5xl:grid-cols-5 @md:grid-cols-2 gap-x-6 gap-y-2 border-t px-4 py-3">
      {facts.map(({ label, value }) => (
        <div key={label} className="min-w-0">
          <dt className="text-muted-foreground text-xs">{label}</dt>
          <dd dir="auto" className="break-words">
            {value}
          </dd>
        </div>
      ))}
    </dl>
  );
}
