"use client";

import { ArrowDown, ArrowUp } from "lucide-react";
import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { formatNumber, formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { changeOf } from "@/lib/usage/series";
import type { Dashboard } from "@/lib/usage/types";

type Self = { quota: number; usedQuota: number; requestCount: number };
type Figure = { id: string; label: string; value: string; change?: number | null };

/** The account, the window beside the one before it, and the mean load of the window. */
export function KpiCards({ dashboard, self }: { dashboard: Dashboard; self: Self }) {
  const t = useTranslations("dashboard");
  const display = useQuotaDisplay();
  const { totals, previous, minutes } = dashboard;
  const account: Figure[] = [
    { id: "balance", label: t("balance"), value: formatQuota(self.quota, display) },
    { id: "used", label: t("used"), value: formatQuota(self.usedQuota, display) },
    { id: "requests", label: t("requests"), value: formatNumber(self.requestCount) },
  ];
  const range: Figure[] = [
    {
      id: "range-quota",
      label: t("rangeQuota"),
      value: formatQuota(totals.quota, display),
      change: changeOf(totals.quota, previous.quota),
    },
    {
      id: "range-tokens",
      label: t("rangeTokens"),
      value: formatNumber(totals.tokens),
      change: changeOf(totals.tokens, previous.tokens),
    },
    {
      id: "range-count",
      label: t("rangeCount"),
      value: formatNumber(totals.count),
      change: changeOf(totals.count, previous.count),
    },
  ];
  const load: Figure[] = [
    { id: "rpm", label: t("averageRpm"), value: (totals.count / minutes).toFixed(3) },
    { id: "tpm", label: t("averageTpm"), value: (totals.tokens / minutes).toFixed(3) },
  ];
  return (
    <div className="grid gap-4 lg:grid-cols-3">
      <Card title={t("cardAccount")} figures={account} />
      <Card title={t("cardRange")} figures={range} note={t("changeNote")} />
      <Card title={t("cardLoad")} figures={load} />
    </div>
  );
}

function Card({ title, figures, note }: { title: string; figures: Figure[]; note?: ReactNode }) {
  return (
    <section aria-label={title} className="rounded-lg border bg-surface px-4 py-3">
      <h2 className="mb-2 font-medium text-muted-foreground text-xs">{title}</h2>
      <dl className="flex flex-col gap-1.5">
        {figures.map(({ id, label, value, change }) => (
          <div key={id} className="flex items-baseline justify-between gap-3">
            <dt className="text-muted-foreground">{label}</dt>
            <dd className="flex items-baseline gap-2 font-semibold tabular-nums">
              {change === undefined ? null : <Change share={change} />}
              <span data-testid={`kpi-${id}`}>{value}</span>
            </dd>
          </div>
        ))}
      </dl>
      {note ? <p className="mt-2 text-muted-foreground text-xs">{note}</p> : null}
    </section>
  );
}

/** More or less than in the span before; neither is good or bad by itself. */
function Change({ share }: { share: number | null }) {
  const t = useTranslations("dashboard");
  if (share === null) return <span className="font-normal text-muted-foreground text-xs">{t("noPrevious")}</span>;
  const percent = `${Math.abs(share * 100).toFixed(1)}%`;
  const Icon = share < 0 ? ArrowDown : ArrowUp;
  return (
    <span className="inline-flex items-center gap-0.5 font-normal text-muted-foreground text-xs">
      {share === 0 ? null : <Icon className="size-3" aria-hidden />}
      <span className="sr-only">{share < 0 ? t("less") : t("more")}</span>
      {percent}
    </span>
  );
}
