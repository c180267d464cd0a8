"use client";

import { ArrowDown, ArrowUp } from "lucide-react";
import { useTranslations } from "next-intl";
import { Converted } from "@/components/format/converted";
import { formatNumber, formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { changeOf } from "@/lib/statistics/series";
import type { Dashboard } from "@/lib/statistics/types";

type Self = { quota: number; usedQuota: number; requestCount: number };
type Figure = { id: string; label: string; value: string; quota?: number; title?: string; change?: number | null };

/** Key figures of the account and the window, compared with the previous window. */
export function KpiCards({ dashboard, self }: { dashboard: Dashboard; self: Self }) {
  const t = useTranslations("dashboard");
  const display = useQuotaDisplay();
  const { totals, previous, minutes } = dashboard;
  const account: Figure[] = [
    { id: "balance", label: t("balance"), value: formatQuota(self.quota, display), quota: self.quota },
    { id: "used", label: t("used"), value: formatQuota(self.usedQuota, display), quota: self.usedQuota },
    { id: "requests", label: t("requests"), value: formatNumber(self.requestCount) },
  ];
  const range: Figure[] = [
    {
      id: "range-quota",
      label: t("rangeQuota"),
      value: formatQuota(totals.quota, display),
      quota: totals.quota,
      title: formatQuota(totals.quota, display, 6),
      change: changeOf(totals.quota, previous.quota),
    },
    {
      id: "range-count",
      label: t("rangeCount"),
      value: formatNumber(totals.count),
      title: String(totals.count),
      change: changeOf(totals.count, previous.count),
    },
    {
      id: "range-tokens",
      label: t("rangeTokens"),
      value: formatNumber(totals.tokens),
      title: String(totals.tokens),
      change: changeOf(totals.tokens, previous.tokens),
    },
  ];
  const load: Figure[] = [
    { id: "rpm", label: t("averageRpm"), value: (totals.count / minutes).toFixed(3) },
    { id: "tpm", label: t("averageTpm"), value: (totals.tokens / minutes).toFixed(3) },
  ];
  return (
    <div className="grid gap-4 xl:grid-cols-[minmax(0,4fr)_minmax(0,5fr)_minmax(0,3fr)]">
      <Card title={t("cardAccount")} figures={account} columns="grid-cols-[auto_auto_auto] justify-between" />
      <Card title={t("cardRange")} figures={range} note={t("changeNote")} columns="grid-cols-2 sm:grid-cols-3" />
      <Card title={t("cardLoad")} figures={load} columns="grid-cols-2" />
    </div>
  );
}

type CardProps = { title: string; figures: Figure[]; note?: string; columns: string };

function Card({ title, figures, note, columns }: CardProps) {
  const display = useQuotaDisplay();
  return (
    <section aria-label={title} className="rounded-lg border bg-surface px-4 py-3">
      <h2
        dir="auto"
        className="mb-2.5 flex flex-wrap justify-between gap-x-3 font-medium text-muted-foreground text-xs"
      >
        {title}
        {note ? <span className="font-normal">{note}</span> : null}
      </h2>
      <dl className={`grid gap-x-4 gap-y-3 ${columns}`}>
        {figures.map(({ id, label, value, quota, title: exact, change }) => (
          <div key={id} className="min-w-0">
            <dt className="truncate text-muted-foreground text-xs">{label}</dt>
            <dd
              dir="auto"
              className="mt-0.5 flex flex-wrap items-baseline gap-x-2 font-semibold text-lg tabular-nums tracking-tight 2xl:text-xl"
            >
              <span data-testid={`kpi-${id}`} title={exact}>
                {value}
              </span>
              {quota === undefined ? null : <Converted quota={quota} display={display} />}
              {change === undefined ? null : <Change share={change} />}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Change against the previous window. Neutral colour: neither direction is good or bad. */
function Change({ share }: { share: number | null }) {
  const t = useTranslations("dashboard");
  const small = "font-normal text-muted-foreground text-xs tracking-normal";
  if (share === null) return <span className={small}>{t("noPrevious")}</span>;
  const percent = `${Math.abs(share * 100).toFixed(1)}%`;
  const Icon = share < 0 ? ArrowDown : ArrowUp;
  return (
    <span className={`inline-flex items-center gap-0.5 ${small}`}>
      {share === 0 ? null : <Icon className="size-3" aria-hidden />}
      <span className="sr-only">{share < 0 ? t("less") : t("more")}</span>
      {percent}
    </span>
  );
}
